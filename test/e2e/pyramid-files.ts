import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The files of pyramids and refusals in a folder and below, by the end of their names. */
export const pyramidFiles = async (folder: string, end: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    // The folders of jobs vanish while they are read.
    if (entry.name.startsWith("job-")) continue;
    const names = entry.isDirectory()
      ? (await readdir(join(folder, entry.name), { recursive: true })).map((name) =>
          join(entry.name, name),
        )
      : [entry.name];
    found.push(...names.filter((name) => name.endsWith(end)));
  }
  return found;
};
