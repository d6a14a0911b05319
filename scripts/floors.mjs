// Checks the floors, wings and fences of src/ with dependency-cruiser, and that every file was looked at.

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";

const rules = createRequire(import.meta.url)("../.dependency-cruiser.cjs");
const { floors: _floors, fences: _fences, options, ...ruleSet } = rules;

const files = readdirSync("src", { recursive: true }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);
const { output } = await cruise(
  ["src"],
  { ...options, ruleSet, validate: true },
  {},
  { tsConfig: extractTSConfig("tsconfig.json") },
);
const ours = output.modules.filter(({ source }) => source.startsWith("src/")).length;
if (ours < files.length) {
  // A compiler that cannot be read makes the tool see nothing and pass.
  console.error(`floors: ${files.length} files in src/, but only ${ours} were looked at.`);
  process.exitCode = 1;
}
for (const { rule, from, to } of output.summary.violations) {
  console.error(`floors: ${from} → ${to}: ${rule.name}`);
  process.exitCode = 1;
}
if (process.exitCode === undefined) console.log(`floors: ${ours} files, every import goes down.`);
