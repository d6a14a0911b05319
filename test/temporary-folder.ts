import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder with these files, by name, that is removed with the test. */
export const temporaryFolder = async (
  files: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
};
