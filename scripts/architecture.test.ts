import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
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

const maxFilesWithoutReadme = 10;

const foldersIn = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map((one) => relative(home, join(one.parentPath, one.name)))
    .filter((path) => !path.includes("node_modules")),
];

const largeFolders = ["src", "web/panel/src", "scripts", "test", "bench"]
  .flatMap(foldersIn)
  .filter((folder) => {
    const files = readdirSync(join(home, folder)).filter(
      (name) => /\.(ts|tsx|mjs)$/.test(name) && !name.endsWith(".test.ts"),
    );
    return files.length > maxFilesWithoutReadme;
  });

test.each(largeFolders)("%s, which has many files, says in a README what is where", (folder) => {
  const readme = join(home, folder, "README.md");
  expect(existsSync(readme), "README.md").toBe(true);
  const named = [...readFileSync(readme, "utf8").matchAll(/`([\w./-]+(?:\.(?:tsx?|mjs)|\/))`/g)];
  expect(named.length).toBeGreaterThan(2);
  const missing = named
    .map(([, path = ""]) => path)
    .filter((path) => ![folder, "src", ""].some((base) => existsSync(join(home, base, path))));
  expect(missing).toEqual([]);
});
