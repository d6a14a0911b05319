import { createRequire } from "node:module";

const isThere = (): boolean => {
  try {
    createRequire(import.meta.url).resolve("@ruby/3.4-wasm-wasi/dist/ruby+stdlib.wasm");
    return true;
  } catch {
    return false;
  }
};

/** Whether the packages that run Ruby are installed. */
export const hasRuby = isThere();

/**
 * Why tests of Ruby delegates are skipped, to be appended to their names; empty where they are not.
 */
export const withoutRuby = hasRuby
  ? ""
  : " (left out: the package @ruby/3.4-wasm-wasi is not installed)";
