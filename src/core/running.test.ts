import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { isRunning } from "./running.ts";

it("a process is running until it ends, whoever owns it", () => {
  expect(isRunning(process.pid)).toBe(true);
  expect(isRunning(1)).toBe(true);
  expect(isRunning(spawnSync(process.execPath, ["--version"]).pid)).toBe(false);
});

it("numbers that no process has are not running, nor is a group of processes", () => {
  for (const pid of [0, -1, 1.5, Number.NaN]) expect(isRunning(pid)).toBe(false);
});
