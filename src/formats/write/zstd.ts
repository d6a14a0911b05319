import { promisify } from "node:util";
import zlib from "node:zlib";

/** Compresses bytes to one frame (RFC 8878). */
export type ZstdEncoder = (bytes: Uint8Array) => Promise<Uint8Array>;

/** Node.js' own encoder at its default level; undefined before 22.15 and 23.8, which have none. */
export const zstdEncoder = (): ZstdEncoder | undefined => {
  const own: unknown = Object.getOwnPropertyDescriptor(zlib, "zstdCompress")?.value;
  return isCompress(own) ? promisify(own) : undefined;
};

/** Why there is no encoder, and what to do: one sentence. */
export const noZstdEncoder = (): string =>
  `Zstandard needs Node.js 22.15, 23.8 or later, and this is ${process.versions.node}; update Node.js, or use deflate or lzw, which are lossless as well.`;

/** As `zlib.deflate`. */
type Compress = (
  bytes: Uint8Array,
  done: (error: Error | null, compressed: Uint8Array) => void,
) => void;

const isCompress = (value: unknown): value is Compress => typeof value === "function";
