import type { Size } from "../../core/geometry.ts";
import type { Kernel } from "../../core/wasm.ts";
import type { TileKernel } from "./tile-kernel.ts";

/** What is wanted of packed bytes. */
export interface Unpacked {
  /** So many bytes may come out; a codec may fail where there are more. */
  readonly max: number;
  /** Where these have to be undone as well. */
  readonly differences?: Differences | undefined;
  /** In pixels, for codecs that want to know. */
  readonly size?: Size;
}

/** Pixels of 8-bit samples, row after row, stored as differences (TIFF 6.0 section 14). */
export interface Differences {
  /** Pixels in a row. */
  readonly width: number;
  readonly samples: 1 | 3;
  /** The rows that are wanted, from the first to before the second, counted from 0. */
  readonly rows: readonly [number, number];
}

/** Undoes one compression on the calling thread. Throws where the data is damaged. */
export interface Unpacker {
  /** The bytes are written over with the next call. */
  unpack(bytes: Uint8Array, wanted: Unpacked): Uint8Array;
}

/**
 * Undoes differences of bytes that lie in a kernel's memory; throws where they are not all there.
 */
export const undoDifferences = (
  kernel: TileKernel,
  pixels: Uint8Array,
  { width, samples, rows: [from, to] }: Differences,
): void => {
  const stride = width * samples;
  if (pixels.length < to * stride)
    throw new Error(`there are ${pixels.length} of ${to * stride} bytes`);
  kernel.undoDifferences(pixels.byteOffset + from * stride, width, to - from, samples);
};

/** Beyond this much, in bytes, memory is not kept for the next call. */
const maxKept = 33_554_432;

/**
 * Works with the instance of the last time, unless that has grown large, for WebAssembly gives no
 * memory back, or broke off in the midst of something.
 */
export class Renewed<T extends Kernel> {
  readonly #make: () => T;
  #kept: T | undefined;

  constructor(make: () => T) {
    this.#make = make;
  }

  with<R>(work: (instance: T) => R): R {
    const instance = this.#kept ?? this.#make();
    this.#kept = undefined;
    const result = work(instance);
    if (instance.memory.buffer.byteLength <= maxKept) this.#kept = instance;
    return result;
  }
}
