import type { Readable } from "node:stream";
import { ServerError } from "./errors.ts";

/** A part of a stored object, in bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Random access to the bytes of one stored object. */
export interface RangeReader {
  /** In bytes. */
  readonly size: number;
  /** Set when the object is a local file, for codecs that open files themselves. */
  readonly path?: string;
  /**
   * Identifies the object and its version in all processes of the server: the bytes are the same
   * wherever it is the same. Absent where that is unknown.
   */
  readonly identity?: string;
  /**
   * Set where each read costs a request to a server, so that few reads are better than little data.
   */
  readonly isFar?: true;
  /**
   * The bytes from `offset`; fewer than `length` only at the end of the object. A buffer that they
   * fill wholly belongs to the caller, who may change or transfer it. Throws `SourceChanged` where
   * these would not be bytes of the object that was found. `into`, of exactly that length and
   * perhaps shared with threads, may be filled; the result is then (part of) it.
   */
  read(
    offset: number,
    length: number,
    signal?: AbortSignal,
    into?: Uint8Array,
  ): Promise<Uint8Array>;
  /**
   * Reads several ranges together: one result per range, in order, each shorter than its range only
   * at the end of the object. Results may share memory, so callers copy what they change, transfer
   * or keep. Throws as `read` does, and then returns nothing. Implemented by readers that can do
   * better than `readRanges`, such as remote ones that merge ranges into few requests; callers use
   * `readRanges`.
   */
  readMany?(ranges: readonly ByteRange[], signal: AbortSignal): Promise<readonly Uint8Array[]>;
  /**
   * Fetches ranges that are about to be read piece by piece, so that those reads need not wait for
   * a server each. Absent where that gains nothing.
   */
  prefetch?(ranges: readonly ByteRange[], signal: AbortSignal): Promise<void>;
  /**
   * The path of a local copy of the whole object, fetched once for all callers, which stays until
   * `close`; undefined if no copy can be made. Absent where there is a `path` already, or copies
   * are off.
   */
  copy?(signal: AbortSignal): Promise<string | undefined>;
  /** As `copy`, but undefined if there is no copy yet. */
  copied?(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Waits for other work that may itself be waiting for the server of this object, without blocking
   * local renders meanwhile. Absent where reads wait for no server.
   */
  aside?<T>(wait: () => Promise<T>): Promise<T>;
  stream(signal?: AbortSignal): Readable;
  /**
   * Where `path` was used, throws `SourceChanged` when it no longer leads to the object that was
   * found, and `denied` when the server may not read it.
   */
  check?(): Promise<void>;
  close(): Promise<void>;
}

/** The local path of an object: its own or that of a copy; undefined if it has neither. */
export const localPath = async (
  reader: RangeReader,
  signal: AbortSignal,
): Promise<string | undefined> => reader.path ?? (await reader.copy?.(signal));

/**
 * Runs work with a reader and then checks that its object is unchanged. A changed or forbidden
 * object is the error, whatever `work` returned or threw. Closes the reader.
 */
export const useReader = async <T>(
  reader: RangeReader,
  work: (reader: RangeReader) => Promise<T>,
): Promise<T> => {
  try {
    const result = await work(reader).catch(async (error: unknown) => {
      await reader.check?.();
      throw error;
    });
    await reader.check?.();
    return result;
  } finally {
    await reader.close();
  }
};

/** The stored object is no longer the one that was found and has to be looked up again. */
export class SourceChanged extends ServerError {
  constructor(cause?: unknown) {
    super("upstream", "The image was replaced while it was read.", { cause });
    this.name = "SourceChanged";
  }
}

/**
 * The bytes of a range as far as it goes, read into `into` (of exactly that length) where given;
 * undefined where that would block.
 */
export type ReadSync = (
  offset: number,
  length: number,
  into?: Uint8Array,
) => Uint8Array | undefined;
