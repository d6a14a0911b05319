import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { finalPathOf, isAbsent, removeFile, statFile } from "./filesystem-files.ts";

/** Temporary files older than this, in milliseconds, belong to dead writers. */
const abandonedMs = 600_000;

/** Removes remains of dead writers of this file. */
export const removeAbandoned = async (path: string): Promise<void> => {
  const folder = dirname(path);
  const names = await readdir(folder).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  for (const name of names.filter((name) => finalPathOf(name) === basename(path))) {
    const stats = await statFile(join(folder, name));
    if (stats && stats.mtimeMs < Date.now() - abandonedMs) await removeFile(join(folder, name));
  }
};
