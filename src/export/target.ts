import { diskProblem } from "../conversion/convert-file.ts";

/** A file of an export, complete in memory. */
export interface TargetFile {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /**
   * Whether later exports may replace it under the same name, so that caches must revalidate it.
   */
  readonly isRevised: boolean;
}

/**
 * Where an export is written. Names are relative, with slashes. Every call can be aborted and
 * throws `TargetFailure` with the reason.
 */
export interface ExportTarget {
  /** For messages. */
  readonly place: string;
  /** The file; undefined if it does not exist. */
  read(path: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Whether the complete file exists. */
  has(path: string, signal: AbortSignal): Promise<boolean>;
  /** Stores a file under one or several names, each atomically. */
  write(paths: readonly string[], file: TargetFile, signal: AbortSignal): Promise<void>;
  /** Removes files, and folders that become empty; those already gone count as removed. */
  remove(paths: readonly string[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The target cannot be written to, so the export stops. */
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
