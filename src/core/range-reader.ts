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
  /** Set when the object is a local file, for codecs that would rather open it themselves. */
  readonly path?: string;
  /**
   * Set where each read costs a request to a server, so that few bytes in few reads are better than
   * many.
   */
  readonly isFar?: true;
  /**
   * The bytes from `offset`; fewer than `length` only at the end of the object. Memory that they
   * fill wholly is the caller's, who may change it or give it away. Throws `SourceChanged` where
   * these would not be the bytes of the object that was found. Where `into` is given, of just that
   * length and perhaps shared with threads, they may be put there, and the answer is (part of) it
   * then.
   */
  read(
    offset: number,
    length: number,
    signal?: AbortSignal,
    into?: Uint8Array,
  ): Promise<Uint8Array>;
  /**
   * Reads several ranges together: one result per range, in the order asked for, each shorter than
   * its range only at the end of the object. Results may share memory, so callers copy what they
   * change, give away or keep. Throws as `read` does, and then nothing is answered. Implemented by
   * readers that can do better than `readRanges`, such as remote ones that merge ranges into few
   * requests; callers use `readRanges`.
   */
  readMany?(ranges: readonly ByteRange[], signal: AbortSignal): Promise<readonly Uint8Array[]>;
  /**
   * Fetches ranges that are about to be read piece by piece, so that those reads need not wait for
   * a server each. Absent where that gains nothing.
   */
  prefetch?(ranges: readonly ByteRange[], signal: AbortSignal): Promise<void>;
  /**
   * The path of a local copy of the whole object, fetched once for all who want it, which stays
   * until `close`; undefined if no copy can be made. Absent where there is a `path` already, or no
   * copy is wanted.
   */
  copy?(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Waits for other work that may itself be waiting for the server of this object, without keeping
   * anything local from being drawn meanwhile. Absent where reads wait for no server.
   */
  aside?<T>(wait: () => Promise<T>): Promise<T>;
  stream(signal?: AbortSignal): Readable;
  /**
   * Where `path` was handed out, throws `SourceChanged` when it no longer leads to the object that
   * was found, and `denied` when the server may not read it.
   */
  check?(): Promise<void>;
  close(): Promise<void>;
}

/** The path of an object as a local file: its own or that of a copy; undefined if it is neither. */
export const localPath = async (
  reader: RangeReader,
  signal: AbortSignal,
): Promise<string | undefined> => reader.path ?? (await reader.copy?.(signal));

/**
 * Has a reader work and then looks whether its object is still what was found. Where it is not, or
 * may not be read, that is the failure, whatever `work` made of it. Closes the reader.
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

/** The stored object is not the one any more that was found: look for it again. */
export class SourceChanged extends ServerError {
  constructor(cause?: unknown) {
    super("upstream", "The image was replaced while it was read.", { cause });
    this.name = "SourceChanged";
  }
}

/**
 * The bytes of a part as far as it goes, read into `into` (of just that length) where it is given;
 * undefined where they cannot be had without waiting.
 */
export type ReadSync = (
  offset: number,
  length: number,
  into?: Uint8Array,
) => Uint8Array | undefined;
