import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { takeLock } from "./filesystem-lock.ts";

const times = { signMs: 60_000, deadMs: 60_000, lookMs: 2 };
const signal = new AbortController().signal;
const never = { isDone: async () => false, signal };

it("a lock is held by one after the other, and leaves nothing behind", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "lock");
  const first = await takeLock(path, times, never);
  let isSecond = false;
  const second = takeLock(path, times, never).then((unlock) => {
    isSecond = true;
    return unlock;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isSecond).toBe(false);
  await first?.();
  await (await second)?.();
  expect(await readdir(folder)).toEqual([]);
});

it("a lock is not waited for once the work is done, nor by a caller that leaves", async () => {
  const path = join(await temporaryFolder(), "lock");
  await takeLock(path, times, never);
  expect(await takeLock(path, times, { ...never, isDone: async () => true })).toBeUndefined();
  const leaving = AbortSignal.timeout(10);
  await expect(takeLock(path, times, { ...never, signal: leaving })).rejects.toThrow();
});

it("a lock whose holder misses its heartbeats is taken over, and a live one is not", async () => {
  const path = join(await temporaryFolder(), "lock");
  await writeFile(path, "dead");
  const unlock = await takeLock(path, { ...times, deadMs: 20 }, never);
  expect(await readFile(path, "utf8")).not.toBe("dead");
  await unlock?.();
  await writeFile(path, "alive");
  let signs = 0;
  const isDone = async (): Promise<boolean> => {
    const at = new Date(++signs * 1_000);
    await utimes(path, at, at);
    return signs > 30;
  };
  expect(await takeLock(path, { ...times, deadMs: 20 }, { isDone, signal })).toBeUndefined();
  expect(await readFile(path, "utf8")).toBe("alive");
});

it("a lock that was taken over is not released by its previous holder", async () => {
  const path = join(await temporaryFolder(), "lock");
  const unlock = await takeLock(path, times, never);
  await rm(path);
  const other = await takeLock(path, times, never);
  const mark = await readFile(path, "utf8");
  await unlock?.();
  expect(await readFile(path, "utf8")).toBe(mark);
  await other?.();
});
