import type { Readable } from "node:stream";

/** Random access to the bytes of one stored object. */
export interface RangeReader {
  /** In bytes. */
  readonly size: number;
  /** Set when the object is a local file, for codecs that would rather open it themselves. */
  readonly path?: string;
  /** The bytes from `offset`; fewer than `length` only at the end of the object. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  stream(signal?: AbortSignal): Readable;
  close(): Promise<void>;
}
