import { describe, expect, it, onTestFinished } from "vitest";
import { Config } from "../config/store.ts";
import { type Logger, silent } from "../core/log.ts";
import { loadSystemCalls } from "../core/system-calls.ts";
import { allocateShared, mapShared } from "./shared-memory.ts";

const skipped = loadSystemCalls() ? "" : " (skipped: koffi cannot be loaded here)";

const config = (settings: Readonly<Record<string, unknown>> = {}) =>
  new Config({ "cache.server.jpeg2000.blocks.target_size": 16_777_216, ...settings });

describe.skipIf(skipped !== "")(`memory that workers share${skipped}`, () => {
  it("is half of the memory that all of them have for decoded blocks", () => {
    const shared = allocateShared(config(), 3, silent);
    onTestFinished(() => shared?.close());
    expect(shared?.bytes).toBe(25_165_824);
    const announced = `${shared?.descriptor} ${shared?.bytes}`;
    const [one, other] = [mapShared(announced, silent), mapShared(announced, silent)];
    new Uint8Array(one ?? new ArrayBuffer(0))[25_000_000] = 7;
    expect(new Uint8Array(other ?? new ArrayBuffer(0))[25_000_000]).toBe(7);
  });

  it("is not allocated for a single worker, with little memory, or if system calls are off", () => {
    const without = [
      allocateShared(config(), 1, silent),
      allocateShared(config({ "cache.server.jpeg2000.blocks.target_size": 16_777_215 }), 2, silent),
      allocateShared(config({ "processor.system_calls": false }), 2, silent),
      mapShared(undefined, silent),
    ];
    expect(without).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("is done without, with a warning, if it cannot be mapped", () => {
    const warnings: string[] = [];
    const log: Logger = { ...silent, warn: (message) => warnings.push(message) };
    expect(mapShared("999999 4096", log)).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });
});
