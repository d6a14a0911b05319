// Checks the layers, rooms and entrances of src/ with dependency-cruiser, and that every file was
// checked.

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";

const rules = createRequire(import.meta.url)("../.dependency-cruiser.cjs");
const { floors: _floors, fences: _fences, options, ...ruleSet } = rules;

const files = readdirSync("src", { recursive: true }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);
/** Which folders of src/ each folder imports from. */
const folderGraph = (modules) => {
  const graph = new Map();
  for (const { source, dependencies } of modules) {
    if (!source.startsWith("src/")) continue;
    const folder = dirname(source);
    const seen = graph.get(folder) ?? new Set();
    graph.set(folder, seen);
    for (const { resolved } of dependencies)
      if (resolved.startsWith("src/") && dirname(resolved) !== folder) seen.add(dirname(resolved));
  }
  return graph;
};

/**
 * Groups of folders that import each other, directly or through others (Tarjan's strongly connected
 * components).
 */
const circles = (graph) => {
  const order = new Map();
  const lowest = new Map();
  const open = [];
  const found = [];
  const visit = (folder) => {
    order.set(folder, order.size);
    lowest.set(folder, order.get(folder));
    open.push(folder);
    for (const next of graph.get(folder) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(folder, Math.min(lowest.get(folder), lowest.get(next)));
    }
    if (lowest.get(folder) !== order.get(folder)) return;
    const group = open.splice(open.indexOf(folder));
    if (group.length > 1) found.push(group.sort());
  };
  for (const folder of graph.keys()) if (!order.has(folder)) visit(folder);
  return found;
};

const { output } = await cruise(
  ["src"],
  { ...options, ruleSet, validate: true },
  {},
  { tsConfig: extractTSConfig("tsconfig.json") },
);
const ours = output.modules.filter(({ source }) => source.startsWith("src/")).length;
if (ours < files.length) {
  // Without a readable compiler the tool sees nothing and passes.
  console.error(`floors: ${files.length} files in src/, but only ${ours} were looked at.`);
  process.exitCode = 1;
}
for (const { rule, from, to } of output.summary.violations) {
  console.error(`floors: ${from} → ${to}: ${rule.name}`);
  process.exitCode = 1;
}
for (const circle of circles(folderGraph(output.modules))) {
  console.error(`floors: folders import each other: ${circle.join(", ")}`);
  process.exitCode = 1;
}
if (process.exitCode === undefined) console.log(`floors: ${ours} files, every import goes down.`);
