import { mkdtempSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Opens a file without a name in the first folder that accepts one, and returns its descriptor: only
 * this user can read it, and its space is free once it is closed, however the process ends. Throws
 * the last folder's error.
 */
export const openNameless = (
  prefix: string,
  [first = "", ...others]: readonly string[],
): number => {
  try {
    const folder = mkdtempSync(join(first, prefix));
    try {
      return openSync(join(folder, "file"), "w+", 0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch (error) {
    if (others.length === 0) throw error;
    return openNameless(prefix, others);
  }
};
