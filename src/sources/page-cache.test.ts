import { closeSync, fstatSync, openSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fileReader } from "./file-reader.ts";
import { OpenFiles, versionOf } from "./open-files.ts";
import { isPageCached, PageCacheFile, type ReadingCalls } from "./page-cache.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-near-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => at % 251);

const opened = (name: string, readNow?: ReadingCalls["readNow"]) => {
  const path = join(home, name);
  writeFileSync(path, bytes);
  const descriptor = openSync(path, "r");
  onTestFinished(() => closeSync(descriptor));
  const clock = { now: 0, step: 0 };
  const file = new PageCacheFile(descriptor, fstatSync(descriptor, { bigint: true }), {
    calls: readNow && { readNow },
    now: () => {
      clock.now += clock.step;
      return clock.now;
    },
  });
  return { path, file, clock };
};

describe("a local file", () => {
  it("reads synchronously what was read before, and nothing else", () => {
    const { file } = opened("before");
    expect(file.read(100, 50)).toBeUndefined();
    file.note(100, 50);
    expect(file.read(100, 50)).toEqual(bytes.subarray(100, 150));
    expect(file.read(100_000, 50)).toBeUndefined();
  });

  it("leaves large pieces to threads", () => {
    const { file } = opened("large");
    file.note(0, 200_000);
    expect(file.read(0, 1_048_576)).toHaveLength(200_000);
    expect(file.read(0, 1_048_577)).toBeUndefined();
  });

  it("stops after a second slow read, until it was read by threads", () => {
    const { file, clock } = opened("slow");
    file.note(0, 1_000);
    clock.step = 6;
    expect(file.read(0, 10)).toHaveLength(10);
    expect(file.read(0, 10)).toHaveLength(10);
    clock.step = 0;
    expect(file.read(0, 10)).toBeUndefined();
    file.note(0, 10);
    expect(file.read(0, 10)).toHaveLength(10);
  });

  it("tolerates a single slow read, which may have waited for a processor", () => {
    const { file, clock } = opened("busy");
    file.note(0, 1_000);
    for (let slow = 0; slow < 3; slow++) {
      clock.step = 6;
      expect(file.read(0, 10)).toHaveLength(10);
      clock.step = 0;
      for (let quick = 0; quick < 32; quick++) expect(file.read(0, 10)).toHaveLength(10);
    }
  });

  it("reads synchronously what the system reports as cached, and no more", () => {
    const asked: (readonly [number, number])[] = [];
    let answer: "all" | number = "all";
    const { file } = opened("told", (_descriptor, into, offset) => {
      asked.push([offset, into.length]);
      into.fill(7);
      return answer === "all" ? into.length : answer;
    });
    expect(file.read(100, 5)).toEqual(new Uint8Array(5).fill(7));
    answer = 3;
    expect(file.read(200, 5)).toEqual(new Uint8Array(3).fill(7));
    answer = -1;
    file.note(0, 1_000);
    expect(file.read(300, 5)).toBeUndefined();
    expect(asked).toEqual([
      [100, 5],
      [200, 5],
      [300, 5],
    ]);
  });

  it("relies on earlier reads if the system does not report that", () => {
    let asked = 0;
    const { file } = opened("untold", () => {
      asked++;
      return -2;
    });
    expect(file.read(100, 50)).toBeUndefined();
    file.note(100, 50);
    expect(file.read(100, 50)).toEqual(bytes.subarray(100, 150));
    expect(asked).toBe(1);
  });

  it("returns what exists of a truncated file, and detects the change", () => {
    const { file, path } = opened("short");
    file.note(0, 20_000);
    expect(file.unchanged()).toBe(true);
    truncateSync(path, 15_000);
    expect(file.read(14_000, 2_000)).toHaveLength(1_000);
    expect(file.unchanged()).toBe(false);
  });
});

it("detects a file of the same length that was overwritten", () => {
  const { file, path } = opened("watched");
  expect(file.unchanged()).toBe(true);
  utimesSync(path, 1_000, 1_000);
  expect(file.unchanged()).toBe(false);
});

it("only known local file systems are read synchronously", async () => {
  expect(await isPageCached(join(home, "absent"))).toBe(false);
  // sysfs is no place for images, and not on the list.
  expect(await isPageCached("/sys/kernel")).toBe(false);
});

it.each([true, false])("a reader returns the same bytes with sync %s", async (sync) => {
  const path = join(home, `reader-${sync}`);
  writeFileSync(path, bytes);
  const state = await stat(path, { bigint: true });
  const files = new OpenFiles(() => ({ max: 1, idleMs: 60_000, sync }));
  const reader = fileReader({ path, size: bytes.length, version: versionOf(state) }, files);
  for (const [offset, length] of [
    [0, 10],
    [0, 10],
    [5, 180_000],
    [70_000, 100_000],
    [199_990, 100],
    [300_000, 5],
  ] as const)
    expect(await reader.read(offset, length)).toEqual(bytes.slice(offset, offset + length));
  await reader.close();
  files.close();
});
