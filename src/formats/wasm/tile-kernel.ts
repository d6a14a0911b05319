import { type Kernel, kernelOn, reserve } from "../../core/wasm.ts";

/**
 * The exports of `assembly/tiles`. Addresses in its memory are in bytes; input is the half-open
 * range from `from` to `end`, output is written to `to`, up to `max` bytes.
 */
export interface TileKernel extends Kernel {
  /** Start of memory available to callers. */
  base(): number;
  /** TIFF 6.0 section 14, 8-bit samples, in place; `samples` is 1 or 3. */
  undoDifferences(at: number, width: number, rows: number, samples: number): void;
  /** Copies the first three of every four bytes: RGBA pixels of 8 bits without their alpha. */
  dropFourth(from: number, end: number, to: number): void;
  /** TIFF 6.0 section 13; returns the number of output bytes, or -1 where the data is corrupt. */
  undoLzw(from: number, end: number, to: number, max: number): number;
  /** A zlib stream (RFC 1950); -1 where it is corrupt, or has more than `max` bytes. */
  inflate(from: number, end: number, to: number, max: number): number;
  /** Frames of Zstandard (RFC 8878); as for `inflate`. */
  unzstd(from: number, end: number, to: number, max: number): number;
  /** LZMA2, which may be longer than `max`; -1 where it is corrupt. */
  unlzma2(from: number, end: number, to: number, max: number): number;
  /** The end of the last LZMA2; 0 where it was longer. */
  endOfLzma2(): number;
  /** The delta filter of XZ, in place. */
  undoDelta(at: number, length: number, distance: number): void;
  /** The CRC-64 of XZ, as a signed number. */
  crc64(at: number, length: number): bigint;
}

/** A kernel for tiles with its own memory. */
export const newKernel = (tiles: WebAssembly.Module): TileKernel =>
  kernelOn<TileKernel>(tiles, new WebAssembly.Memory({ initial: 16 }));

/** The input in a kernel's memory, and the space for its output. */
export interface Places {
  readonly from: number;
  readonly end: number;
  readonly to: number;
}

/** Allocates so many bytes in a kernel's memory, from which `place` need not copy. */
export const inputRoom = (kernel: TileKernel, length: number): Uint8Array => {
  const from = aligned(kernel.base());
  reserve(kernel, from + length);
  return bytesAt(kernel, from, length);
};

/**
 * Copies bytes to a kernel's memory, and allocates `max` more for the output; throws where that
 * fails. Bytes in `inputRoom` stay where they are, and must be read through `bytesAt` afterwards.
 */
export const place = (
  kernel: TileKernel,
  bytes: Uint8Array | Uint8ClampedArray,
  max: number,
): Places => {
  const from = aligned(kernel.base());
  const end = from + bytes.length;
  const isHere = bytes.buffer === kernel.memory.buffer && bytes.byteOffset === from;
  const to = aligned(end + behindInput);
  const needed = to + max + behindOutput;
  if (needed > maxMemory)
    throw new Error(`there is no memory for ${bytes.length} bytes that become ${max}`);
  reserve(kernel, needed);
  const memory = new Uint8Array(kernel.memory.buffer);
  // Growing the memory detached their view.
  if (!isHere) memory.set(bytes, from);
  memory.fill(0, end, to);
  return { from, end, to };
};

/** Bytes of a kernel's memory; the next call overwrites them. */
export const bytesAt = (kernel: TileKernel, at: number, length: number): Uint8Array =>
  new Uint8Array(kernel.memory.buffer, at, length);

const aligned = (at: number): number => Math.ceil(at / 64) * 64;

/** How far kernels read beyond their input, and write beyond their output. */
const behindInput = 64;
const behindOutput = 320;

/** In bytes; a kernel's addresses are safely below 2 to the power of 31. */
const maxMemory = 2_147_418_112;
