// Compiles assembly/ to wasm/, src/ to dist/ and web/panel/ to dist/web/panel/, and copies the
// viewer, only when something there is newer than the last build.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pruneDeclarations } from "./declarations.mjs";
import { placeViewer } from "./viewer.mjs";
import { buildWasm } from "./wasm.mjs";

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(home, "dist");
const stamp = join(dist, ".built");

const newest = (path) => {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  // A folder's own time reveals removed files.
  return readdirSync(path).reduce(
    (latest, name) => Math.max(latest, newest(join(path, name))),
    found.mtimeMs,
  );
};

/** True when dist/ matches src/. An installed package has no src/ and is always built. */
export const isBuilt = () => {
  if (!existsSync(join(home, "src"))) return existsSync(dist);
  if (!existsSync(stamp)) return false;
  const inputs = ["src", "assembly", "web", "package.json", "tsconfig.json", "tsconfig.build.json"];
  return inputs.every((name) => newest(join(home, name)) <= statSync(stamp).mtimeMs);
};

/** Whether the build tools are installed; prints what to do where they are not. */
const hasTools = () => {
  const require = createRequire(import.meta.url);
  try {
    for (const tool of ["typescript", "assemblyscript", "vite", "openseadragon"])
      require.resolve(`${tool}/package.json`);
    return true;
  } catch {
    process.stderr.write(
      "Vitrine is not built, and what builds it is not installed: run 'npm ci && npm run build' once, then 'npm prune --omit=dev' if you like.\n",
    );
    return false;
  }
};

/** Builds wasm/ and dist/; returns the exit code of the first failure, else 0. */
export const build = () => {
  if (!hasTools()) return 1;
  const started = new Date();
  const compiled = buildWasm();
  if (compiled !== 0) return compiled;
  rmSync(dist, { recursive: true, force: true });
  const require = createRequire(import.meta.url);
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const steps = [[compiler, "-p", "tsconfig.build.json"], [join("scripts", "panel.mjs")]];
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: home, stdio: ["ignore", 2, 2] });
    if (status !== 0) return status ?? 1;
  }
  placeViewer();
  pruneDeclarations(dist, "index.d.ts");
  writeFileSync(stamp, "");
  utimesSync(stamp, started, started);
  return 0;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes("--if-needed") || !isBuilt()) process.exitCode = build();
}
