import { type Kernel, kernelOn, reserve } from "../../core/wasm.ts";

/**
 * What `assembly/tiles` offers. Places in its memory are counted in bytes; bytes are read from
 * `from` to before `end` and written to `to`, as many as there are, up to `max`.
 */
export interface TileKernel extends Kernel {
  /** Where memory begins that is the callers'. */
  base(): number;
  /** TIFF 6.0 section 14, 8-bit samples, in place; `samples` is 1 or 3. */
  undoDifferences(at: number, width: number, rows: number, samples: number): void;
  /** TIFF 6.0 section 13; returns how many bytes came out, or -1 where the data is damaged. */
  undoLzw(from: number, end: number, to: number, max: number): number;
  /** A zlib stream (RFC 1950); -1 where it is damaged, or more than `max` bytes would come out. */
  inflate(from: number, end: number, to: number, max: number): number;
  /** Frames of Zstandard (RFC 8878); as for `inflate`. */
  unzstd(from: number, end: number, to: number, max: number): number;
  /** LZMA2, which may be longer than `max`; -1 where it is damaged. */
  unlzma2(from: number, end: number, to: number, max: number): number;
  /** Where the last LZMA2 ended; 0 where it was longer. */
  endOfLzma2(): number;
  /** The delta filter of XZ, in place. */
  undoDelta(at: number, length: number, distance: number): void;
  /** The CRC-64 of XZ, as a signed number. */
  crc64(at: number, length: number): bigint;
}

/** A kernel for tiles on memory of its own. */
export const newKernel = (tiles: WebAssembly.Module): TileKernel =>
  kernelOn<TileKernel>(tiles, new WebAssembly.Memory({ initial: 16 }));

/** Where bytes lie in a kernel's memory, and where there is room for what comes out. */
export interface Places {
  readonly from: number;
  readonly end: number;
  readonly to: number;
}

/** Room for so many bytes in a kernel's memory, from where `place` need not copy them. */
export const inputRoom = (kernel: TileKernel, length: number): Uint8Array => {
  const from = aligned(kernel.base());
  reserve(kernel, from + length);
  return bytesAt(kernel, from, length);
};

/**
 * Copies bytes into a kernel's memory, and sees to it that there is room for `max` more; throws
 * where there is none. If they are in `inputRoom` already, they stay where they are, and are to be
 * read through `bytesAt` afterwards.
 */
export const place = (kernel: TileKernel, bytes: Uint8Array, max: number): Places => {
  const from = aligned(kernel.base());
  const end = from + bytes.length;
  const isHere = bytes.buffer === kernel.memory.buffer && bytes.byteOffset === from;
  const to = aligned(end + behindInput);
  const needed = to + max + behindOutput;
  if (needed > maxMemory)
    throw new Error(`there is no memory for ${bytes.length} bytes that become ${max}`);
  reserve(kernel, needed);
  const memory = new Uint8Array(kernel.memory.buffer);
  // Memory that has grown has taken their view along.
  if (!isHere) memory.set(bytes, from);
  memory.fill(0, end, to);
  return { from, end, to };
};

/** Bytes of a kernel's memory; they are written over with its next call. */
export const bytesAt = (kernel: TileKernel, at: number, length: number): Uint8Array =>
  new Uint8Array(kernel.memory.buffer, at, length);

const aligned = (at: number): number => Math.ceil(at / 64) * 64;

/** How far kernels read behind their input, and write behind their output. */
const behindInput = 64;
const behindOutput = 320;

/** In bytes; a kernel's places are below 2 to the power of 31 for certain. */
const maxMemory = 2_147_418_112;
