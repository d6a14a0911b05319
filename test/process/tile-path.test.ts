import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { loadSystemCalls } from "../../src/core/system-calls.ts";

const home = join(import.meta.dirname, "../..");

interface Ran {
  readonly path: string;
  /** Files that ran as well. */
  readonly imports: readonly string[];
}

const maxFiles = 25;
/** Including everything that is called for a value, recorded or observed. */
const maxRun = 100;

const listed = (): readonly string[] => {
  const page = readFileSync(join(home, "ARCHITECTURE.md"), "utf8");
  const table = /<!-- tile-path:begin -->(.*)<!-- tile-path:end -->/s.exec(page)?.[1] ?? "";
  return [...table.matchAll(/^\| `([\w/.-]+\.ts)`/gm)].map(([, path = ""]) => path);
};

test("a stored tile passes the files that ARCHITECTURE.md lists", async ({ skip }) => {
  if (loadSystemCalls() === undefined)
    skip("koffi is not installed: without it, tiles are read in another way.");
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/tile-path.mjs"], {
    cwd: home,
  });
  const ran: readonly Ran[] = JSON.parse(stdout);
  const path = new Set(listed());
  expect(path.size).toBeGreaterThan(10);
  expect(path.size).toBeLessThanOrEqual(maxFiles);
  expect([...path].filter((file) => !ran.some((one) => one.path === file))).toEqual([]);
  // Only the composition root may import both.
  const handingOn = ran
    .filter((one) => !path.has(one.path) && !one.path.startsWith("app/"))
    .flatMap(({ path: file, imports }) =>
      imports.filter((to) => path.has(to)).map((to) => `${file} imports ${to}`),
    );
  expect(handingOn).toEqual([]);
  expect(ran.length).toBeLessThanOrEqual(maxRun);
});
