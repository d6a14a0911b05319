import { promisify } from "node:util";
import zlib from "node:zlib";
import { compileWasm } from "../../core/wasm.ts";
import { type HeapCodec, newHeapCodec, room, withBytes } from "../heap-codec.ts";

/** Makes one frame (RFC 8878) of bytes. */
export type ZstdEncoder = (bytes: Uint8Array) => Promise<Uint8Array>;

/** Node's own encoder where it has one (from 22.15), else that of codecs/. */
export const createZstdEncoder = async (): Promise<ZstdEncoder> => {
  const own: unknown = Object.getOwnPropertyDescriptor(zlib, "zstdCompress")?.value;
  if (isCompress(own)) return promisify(own);
  const codec = newHeapCodec<Zstd>(await compileWasm("codecs", "zstd-encoder"));
  return async (bytes) => encodeWith(codec, bytes);
};

/** As `zlib.deflate`. */
type Compress = (
  bytes: Uint8Array,
  done: (error: Error | null, compressed: Uint8Array) => void,
) => void;

const isCompress = (value: unknown): value is Compress => typeof value === "function";

interface Zstd extends HeapCodec {
  /** The most bytes that may come of so many. */
  bound(bytes: number): number;
  /** How many bytes came out; 0 where that fails. */
  encode(to: number, room: number, from: number, bytes: number, level: number): number;
}

/** Zstandard's own usual one, and Node's. */
const level = 3;

const encodeWith = (codec: Zstd, bytes: Uint8Array): Uint8Array =>
  withBytes(codec, bytes, (from) => {
    const most = codec.bound(bytes.length);
    const to = room(codec, most);
    const length = codec.encode(to, most, from, bytes.length, level);
    if (length === 0) throw new Error("Zstandard had no memory to encode in");
    const encoded = new Uint8Array(codec.memory.buffer, to, length).slice();
    codec.release(to);
    return encoded;
  });
