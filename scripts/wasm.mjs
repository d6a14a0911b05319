// Compiles each folder of assembly/ (AssemblyScript) to wasm/NAME.wasm, when it is newer than that,
// and some to wasm/NAME-shared.wasm as well, for memory that threads share.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = join(home, "assembly");
const compiled = join(home, "wasm");

const newest = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
    statSync(folder).mtimeMs,
  );

const modules = () =>
  readdirSync(sources, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const folder = join(sources, name);
      const own = { name, folder, output: join(compiled, `${name}.wasm`), more: [] };
      const shared = { ...own, output: join(compiled, `${name}-shared.wasm`), more: sharedOptions };
      return inSharedMemory.includes(name) ? [own, shared] : [own];
    });

const isStale = ({ folder, output }) =>
  !existsSync(output) || statSync(output).mtimeMs <= newest(folder);

/**
 * Compiles what is not compiled; returns 0, or the compiler's exit code. An installed package is
 * complete.
 */
export const buildWasm = () => {
  if (!existsSync(sources)) return 0;
  const require = createRequire(import.meta.url);
  mkdirSync(compiled, { recursive: true });
  for (const { name, folder, output, more } of modules().filter(isStale)) {
    const compiler = require.resolve("assemblyscript/bin/asc.js");
    // Under a temporary name until it is complete: others may be building, or reading it.
    const whole = `${output}.${process.pid}`;
    const { status } = spawnSync(
      process.execPath,
      [compiler, join("assembly", name, "index.ts"), "--outFile", whole, ...options, ...more],
      { cwd: dirname(dirname(folder)), stdio: ["ignore", 2, 2] },
    );
    if (status !== 0) return status ?? 1;
    renameSync(whole, output);
  }
  return 0;
};

// The caller provides the memory, initially zero, as the only import: no allocator, no garbage
// collection.
const options = ["--optimizeLevel", "3", "--noAssert", "--runtime", "stub", "--enable", "simd"];
options.push("--use", "abort=", "--initialMemory", "16", "--importMemory", "--zeroFilledMemory");
/** A module for shared memory has to state a maximum: that of 32-bit addresses, in pages. */
const sharedOptions = ["--enable", "threads", "--sharedMemory", "--maximumMemory", "65536"];
/** The modules that also run in shared memory. */
const inSharedMemory = ["jpeg2000"];

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = buildWasm();
