import { spawnSync } from "node:child_process";
import { getPriority } from "node:os";
import { expect, it } from "vitest";

const isLinux = process.platform === "linux";

/** Below the priority of the tests themselves. */
const lowered = getPriority() + 7;

/** In a process of its own: a lowered priority cannot be raised again. */
const priorities = (threads: number): { found: number; pool: number[]; main: number } => {
  const script = `
    import { readlink } from "node:fs";
    import { getPriority } from "node:os";
    import { lowerPool } from ${JSON.stringify(new URL("./pool-priority.ts", import.meta.url).href)};
    const found = await lowerPool(${threads}, ${lowered});
    const links = await Promise.all(Array.from({ length: 500 }, () => new Promise((resolve) =>
      readlink("/proc/thread-self", (_, link) => resolve(Number(link.split("/").at(-1)))))));
    const pool = [...new Set(links)].map((thread) => getPriority(thread));
    console.log(JSON.stringify({ found, pool, main: getPriority(0) }));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", script],
    { env: { ...process.env, UV_THREADPOOL_SIZE: `${threads}` }, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  return JSON.parse(stdout);
};

it.skipIf(!isLinux)(
  `lowers every thread of the pool and no other${isLinux ? "" : " (skipped: only Linux has such priorities)"}`,
  () => {
    for (const threads of [1, 4, 9]) {
      const { found, pool, main } = priorities(threads);
      expect(found).toBe(threads);
      expect(new Set(pool)).toEqual(new Set([lowered]));
      expect(main).toBe(getPriority());
    }
  },
  60_000,
);
