import type { Orientation, Size } from "../../core/geometry.ts";
import type { ReducedSamples, Reduction } from "../shared/index.ts";

/** Formats decoded whole, or by tiles, by third-party decoders in WebAssembly. */
export type HeifJxlFormat = "heic" | "jxl";

/** A file as passed to a thread. */
export interface HeifJxlFile {
  /** Equal for equal bytes, for the lifetime of the process. */
  readonly id: string;
  readonly format: HeifJxlFormat;
  /** Where the thread does not have them yet. */
  readonly bytes?: Uint8Array;
}

/** What is known of a page before decoding. */
export interface HeifJxlPage {
  /** As stored: after cropping, before rotation. */
  readonly size: Size;
  readonly orientation: Orientation;
  /** The unit of decoding; the page's size, where it is decoded whole. */
  readonly tile: Size;
  /** Bits per sample as stored: 1 to 32. */
  readonly bits: number;
  readonly model: "grey" | "rgb" | "cmyk";
  readonly alpha: boolean;
  readonly profile: Uint8Array | undefined;
}

/** A thread's job. */
export type HeifJxlJob =
  | { readonly kind: "pages"; readonly file: HeifJxlFile }
  | {
      readonly kind: "part";
      readonly file: HeifJxlFile;
      /** Counted from 0. */
      readonly page: number;
      readonly reduction: Reduction;
      /** Whether the result must include the page's profile. */
      readonly profiled: boolean;
    };

/** Interleaved samples: colours in the page's model, then opacity, if any. */
export interface Pixels {
  readonly values: ReducedSamples;
  readonly depth: 8 | 16;
  readonly channels: number;
}

/** The result of a job; `absent` where the thread needs the bytes. */
export type HeifJxlOutcome =
  | { readonly absent: true }
  | { readonly pages: readonly HeifJxlPage[] }
  | { readonly pixels: Pixels; readonly profile: Uint8Array | undefined };

/** A tile, clipped to the image. */
export interface Tile extends Pixels {
  readonly size: Size;
}

/** A file that a thread has open. */
export interface HeifJxlImage {
  readonly pages: readonly HeifJxlPage[];
  /** The position of the page's first pixel on its first tile. */
  offset(page: number): { readonly x: number; readonly y: number };
  /** Decodes a tile, counted from 0; throws `unreadable` where it is corrupt. */
  tile(page: number, column: number, row: number): Tile;
  /** Releases its memory. */
  close(): void;
}

/** Limits of a thread. */
export interface HeifJxlLimits {
  /** Maximum bytes of a decoded image, or tile. */
  readonly decoded: number;
  /** Pixels of a page. */
  readonly pixels: number;
  /** Maximum bytes of the decoder and its cache. */
  readonly memory: number;
  /** Time limit of a part in milliseconds; its thread is then ended. */
  readonly ms: number;
}
