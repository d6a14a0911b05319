import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { promisify } from "node:util";

// Callbacks rather than `fs/promises`: these run for every tile, at two thirds of the cost.
const open = promisify(fs.open);
const close = promisify(fs.close);
const fstat = promisify(fs.fstat);
const read: ReadAt = promisify(fs.read);
const write: WriteAt = promisify(fs.write);
const rename = promisify(fs.rename);
const unlink = promisify(fs.unlink);
const lutimes = promisify(fs.lutimes);
const lstat = promisify(fs.lstat);

type ReadAt = (
  descriptor: number,
  into: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesRead: number }>;
type WriteAt = (
  descriptor: number,
  from: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesWritten: number }>;

/** A file's bytes, and the time of its last write or use. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly usedAt: Date;
}

// A pipe or a link in place of an entry must not make a reader hang or leave the folder.
const reading =
  fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

/** Maximum size of an entry: more cannot be read at once. */
const maxBytes = 2 ** 31 - 1;

/** The content of a regular file; undefined where there is none. */
export const readWhole = async (
  path: string,
  signal: AbortSignal,
): Promise<ReadFile | undefined> => {
  signal.throwIfAborted();
  const descriptor = await open(path, reading).catch(absentAsUndefined);
  if (descriptor === undefined) return undefined;
  try {
    const stats = await fstat(descriptor);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    let filled = 0;
    while (filled < bytes.length) {
      signal.throwIfAborted();
      const { bytesRead } = await read(descriptor, bytes, filled, bytes.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return { bytes: bytes.subarray(0, filled), usedAt: new Date(stats.mtimeMs) };
  } finally {
    await close(descriptor);
  }
};

/** Maximum bytes written between two checks of the signal. */
const pieceBytes = 4_194_304;

/**
 * Writes a file atomically: under a temporary name beside it, which is then renamed to `path`.
 * Without fsync; readers must be able to detect an incomplete file.
 */
export const writeWhole = async (
  path: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> => {
  const temporary = temporaryPathOf(path);
  const descriptor = await open(temporary, "wx", 0o600);
  try {
    try {
      let written = 0;
      while (written < bytes.length) {
        signal.throwIfAborted();
        const length = Math.min(pieceBytes, bytes.length - written);
        written += (await write(descriptor, bytes, written, length, written)).bytesWritten;
      }
    } finally {
      await close(descriptor);
    }
    signal.throwIfAborted();
    await rename(temporary, path);
  } catch (error) {
    await removeFile(temporary);
    throw error;
  }
};

/** A unique name for a file that is to become `path`. */
export const temporaryPathOf = (path: string): string =>
  `${path}.${randomBytes(8).toString("hex")}${temporaryEnding}`;

const temporaryEnding = ".tmp";

/**
 * The lock of the process that writes `path`; a sweep treats it as a temporary file once it is
 * stale.
 */
export const lockPath = (path: string): string => `${path}.${"f".repeat(16)}${temporaryEnding}`;

/** The final path of a temporary file; undefined where the name is not one. */
export const finalPathOf = (file: string): string | undefined =>
  file.endsWith(temporaryEnding) ? /^(.+)\.[0-9a-f]{16}\.tmp$/.exec(file)?.[1] : undefined;

/** Removes a file; returns whether it existed. */
export const removeFile = async (path: string): Promise<boolean> => {
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

/** Records that a file was used; does nothing where there is none. */
export const markUsed = async (path: string, at: Date): Promise<void> => {
  await lutimes(path, at, at).catch(absentAsUndefined);
};

/** The stat of a regular file; undefined where there is none. */
export const statFile = async (path: string): Promise<fs.Stats | undefined> => {
  const stats = await lstat(path).catch(absentAsUndefined);
  return stats?.isFile() ? stats : undefined;
};

const absent = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** Whether an error means that there is no such file. */
export const isAbsent = (error: unknown): boolean => absent.has(codeOf(error));

/** Whether an error means that the disk is full. */
export const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes(codeOf(error));

/** A system error's code; "" for any other error. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const absentAsUndefined = (error: unknown): undefined => {
  if (isAbsent(error)) return undefined;
  throw error;
};
