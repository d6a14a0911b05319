import { diskProblem } from "../conversion/convert-file.ts";

/** A file of an export, complete in memory. */
export interface TargetFile {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** Whether later exports may replace it under the same name soon, so that caches must ask. */
  readonly isRevised: boolean;
}

/**
 * Where an export is written: names are relative, with slashes. Every call heeds its signal, and
 * throws `TargetFailure` with the reason.
 */
export interface ExportTarget {
  /** For messages. */
  readonly place: string;
  /** The file; undefined where there is none. */
  read(path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Whether there is a complete file. */
  has(path: string, signal: AbortSignal): Promise<boolean>;
  /** Stores a file under one or several names, under each completely or not at all. */
  write(paths: readonly string[], file: TargetFile, signal: AbortSignal): Promise<void>;
  /** Removes files, and folders that become empty; those already gone count as removed. */
  remove(paths: readonly string[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The export cannot be written to its place, so that there is no point in going on. */
export class TargetFailure extends Error {
  override readonly name = "TargetFailure";
}

/** A target whose errors are `TargetFailure`s that say what to do. */
export const explained = (target: ExportTarget): ExportTarget => {
  const told = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      signal.throwIfAborted();
      throw new TargetFailure(`${target.place}: ${reasonOf(error)}`, { cause: error });
    }
  };
  return {
    place: target.place,
    read: (path, signal) => told(signal, target.read(path, signal)),
    has: (path, signal) => told(signal, target.has(path, signal)),
    write: (paths, file, signal) => told(signal, target.write(paths, file, signal)),
    remove: (paths, signal) => told(signal, target.remove(paths, signal)),
    close: () => target.close(),
  };
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return diskProblem((error as NodeJS.ErrnoException).code) ?? error.message;
};
