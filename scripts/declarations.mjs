import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";

const imported = /(?:from\s+|import\()"(\.[^"]+)"/g;

/**
 * Deletes the declarations (`.d.ts`) in a folder that `entry` does not import, directly or through
 * others.
 */
export const pruneDeclarations = (folder, entry) => {
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, path] of readFileSync(file, "utf8").matchAll(imported))
      reach(resolve(dirname(file), path.replace(/\.[jt]s$/, ".d.ts")));
  };
  reach(resolve(folder, entry));
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = resolve(folder, name);
    if (file.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  }
};
