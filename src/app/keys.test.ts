import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { explain, explainedKeys } from "../config/cantaloupe.ts";
import { cantaloupeSample } from "../config/cantaloupe-sample.ts";
import { fileOnlyByName } from "../config/locks.ts";
import { missingParts } from "../config/missing-parts.ts";
import { keyGroups } from "./keys.ts";

const source = fileURLToPath(new URL("..", import.meta.url));

/** The keys a file declares, parsed from its text so that a group nobody imports is found too. */
const declaredIn = (text: string): string[] =>
  text
    .split("defineKeys({")
    .slice(1)
    .flatMap((rest) => {
      const body = rest.slice(0, rest.search(/\n\s*\}\)/));
      return [...body.matchAll(/^\s+"?([A-Za-z][\w.]*)"?: \{\s*\n?\s*type:/gm)].map(
        ([, key = ""]) => key,
      );
    });

it("every key that is declared is gathered, and none twice", async () => {
  const files = (await readdir(source, { recursive: true })).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
  );
  const declared: string[] = [];
  for (const name of files)
    declared.push(...declaredIn(await readFile(join(source, name), "utf8")));
  const gathered = keyGroups.flatMap(({ keys }) => Object.keys(keys));
  expect(declared.length).toBeGreaterThan(100);
  expect(declared.filter((key) => !gathered.includes(key))).toEqual([]);
  expect(gathered.filter((key, at) => gathered.indexOf(key) !== at)).toEqual([]);
});

it("every key that looks file-only is", () => {
  const open = keyGroups
    .flatMap(({ keys }) => Object.entries(keys))
    .filter(
      ([key, { type, fileOnly }]) =>
        fileOnly === undefined &&
        (type === "path" || type === "secret" || fileOnlyByName(key) !== undefined),
    );
  expect(open.map(([key]) => key)).toEqual([]);
});

it("every key of Cantaloupe's sample is defined or explained", () => {
  const gathered = new Set(keyGroups.flatMap(({ keys }) => Object.keys(keys)));
  expect(cantaloupeSample.filter((key) => !gathered.has(key) && !explain(key))).toEqual([]);
});

it("no key that has an effect is explained as having none", () => {
  const explained = new Set(explainedKeys().map(([pattern]) => pattern));
  const gathered = keyGroups.flatMap(({ keys }) => Object.keys(keys));
  expect(gathered.filter((key) => explained.has(key))).toEqual([]);
});

it("every key that asks for a missing feature is explained, and none has an effect", () => {
  const gathered = new Set(keyGroups.flatMap(({ keys }) => Object.keys(keys)));
  expect(missingParts.filter(({ key }) => gathered.has(key) || !explain(key))).toEqual([]);
});
