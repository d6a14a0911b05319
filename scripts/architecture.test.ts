import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const home = join(import.meta.dirname, "..");

/** File and folder names in backticks: with a slash, or ending in .ts. */
const pathsIn = (page: string): readonly string[] =>
  [...readFileSync(join(home, page), "utf8").matchAll(/`([\w./*-]+(?:\.ts|\.mjs|\/))`/g)]
    .map(([, path = ""]) => path)
    .filter((path) => path.includes("/"));

const exists = (path: string): boolean =>
  path.includes("*") ||
  ["", "src", "src/formats"].some((base) => existsSync(join(home, base, path)));

test.each(["ARCHITECTURE.md", "CONTRIBUTING.md"])("every file that %s names is there", (page) => {
  const paths = pathsIn(page);
  expect(paths.length).toBeGreaterThan(2);
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});
