import type { Size } from "../../core/geometry.ts";
import type { Kernel } from "../../core/wasm.ts";
import type { TileKernel } from "./tile-kernel.ts";

/** The expected output of packed bytes. */
export interface Unpacked {
  /** Maximum output bytes; a codec may fail where there are more. */
  readonly max: number;
  /** The predictor, where it has to be undone as well. */
  readonly differences?: Differences | undefined;
  /** Size in pixels, for codecs that need it. */
  readonly size?: Size;
}

/** Rows of 8-bit samples, stored as differences (TIFF 6.0 section 14). */
export interface Differences {
  /** Pixels in a row. */
  readonly width: number;
  readonly samples: 1 | 3;
  /** The needed rows: half-open range, counted from 0. */
  readonly rows: readonly [number, number];
}

/** Decodes one compression on the calling thread. Throws where the data is corrupt. */
export interface Unpacker {
  /** The next call overwrites the bytes. */
  unpack(bytes: Uint8Array, wanted: Unpacked): Uint8Array;
}

/** Undoes differences of bytes in a kernel's memory; throws where they are incomplete. */
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

/** Maximum bytes of memory that are kept for the next call. */
const maxKept = 33_554_432;

/**
 * Reuses the previous instance, unless that has grown large, since WebAssembly memory never
 * shrinks, or was interrupted by an error.
 */
export class ReusedInstance<T extends Kernel> {
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
