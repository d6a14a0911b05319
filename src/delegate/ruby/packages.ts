import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fail } from "../../core/errors.ts";
import { withMemoryLimit } from "./memory-limit.ts";

/** Installs everything that runs Ruby; a test compares the versions with package.json. */
export const rubyInstall =
  "npm install @ruby/3.4-wasm-wasi@2.10.1 @ruby/wasm-wasi@2.10.1 @bjorn3/browser_wasi_shim@0.4.2";

const binary = "@ruby/3.4-wasm-wasi/dist/ruby+stdlib.wasm";
const libraries = ["@ruby/wasm-wasi", "@bjorn3/browser_wasi_shim"];

/** Finds a file of an installed package; throws where it is missing. */
type Resolve = (specifier: string) => string;

/**
 * CRuby with its standard library, whose memory grows to `maxBytes` at most. Throws `malformed`
 * where the packages are not installed.
 */
export const rubyModule = async (
  maxBytes: number,
  resolve: Resolve = createRequire(import.meta.url).resolve,
): Promise<WebAssembly.Module> => {
  const path = installed(resolve);
  const bytes = await readFile(path);
  return WebAssembly.compile(withMemoryLimit(bytes, maxBytes));
};

const installed = (resolve: Resolve): string => {
  try {
    for (const library of libraries) resolve(library);
    return resolve(binary);
  } catch (cause) {
    return fail(
      "malformed",
      `delegates in Ruby need packages that are not installed: ${rubyInstall}`,
      cause,
    );
  }
};
