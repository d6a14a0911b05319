import { randomUUID } from "node:crypto";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Replaces a file's text atomically, also if the process crashes. Preserves the mode, and symbolic
 * links.
 */
export const writeWhole = async (path: string, text: string): Promise<void> => {
  const target = await realpath(path);
  const { mode } = await stat(target);
  const folder = dirname(target);
  const temporary = join(folder, `.${basename(target)}.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx", mode & 0o7777);
    try {
      await file.writeFile(text, "utf8");
      // The umask reduces the mode given to `open`.
      await file.chmod(mode & 0o7777);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
  await syncFolder(folder);
};

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch {
    // Some file systems cannot sync a folder; the file itself is safe.
  } finally {
    await handle.close();
  }
};
