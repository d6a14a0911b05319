import { rmSync } from "node:fs";
import { type FileHandle, link, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isRunning } from "../core/running.ts";

/** A file that is complete or absent. */
export interface AtomicFile {
  /** The file being written, at any position. */
  readonly file: FileHandle;
  /** Its temporary path, for code that opens files itself. */
  readonly path: string;
  /** A path beside it for temporary data. */
  readonly aside: string;
}

/** The file exists already. */
export class FileExists extends Error {
  override readonly name = "FileExists";
}

/**
 * Writes a file beside its final path and moves it there once it is complete and synced. Nothing is
 * left behind where `write` throws or the process exits. Throws `FileExists` where the path exists
 * and must not be replaced.
 */
export const writeAtomically = async <T>(
  path: string,
  { replace }: { readonly replace: boolean },
  write: (file: AtomicFile) => Promise<T>,
): Promise<T> => {
  const [temporary, aside] = unfinishedBy(path, process.pid);
  const clear = (): void => {
    rmSync(temporary, { force: true });
    rmSync(aside, { force: true });
  };
  process.on("exit", clear);
  try {
    const file = await open(temporary, "wx");
    let result: T;
    try {
      result = await write({ file, path: temporary, aside });
      await file.sync();
    } finally {
      await file.close();
    }
    await moveTo(path, temporary, { replace });
    return result;
  } finally {
    clear();
    process.off("exit", clear);
  }
};

/**
 * The two temporary files of a process for `path`. The second may be in libvips' own format, which
 * is recognised by its suffix.
 */
export const unfinishedBy = (path: string, pid: number | undefined): readonly [string, string] => {
  const name = join(dirname(path), `.${basename(path)}.${pid}`);
  return [`${name}.part`, `${name}.aside.v`];
};

/** Whether a file of this name was left behind by a killed process. */
export const isStaleTemporaryFile = (name: string): boolean => {
  const pid = Number(/^\..+\.(\d+)\.(?:part|aside\.v)$/.exec(name)?.[1]);
  return pid > 0 && !isRunning(pid);
};

const moveTo = async (
  path: string,
  temporary: string,
  { replace }: { readonly replace: boolean },
): Promise<void> => {
  if (replace) return rename(temporary, path);
  try {
    // Unlike a rename, a link never replaces a file.
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new FileExists();
    if (!withoutLinks.has(code ?? "")) throw error;
    if ((await found(path)) !== undefined) throw new FileExists();
    return rename(temporary, path);
  }
  await rm(temporary);
};

/** Errors of file systems without links. */
const withoutLinks: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/** A file's stat; undefined where there is none. */
export const found = async (path: string) => {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};
