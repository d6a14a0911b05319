import type { Orientation, Size } from "../../core/geometry.ts";
import type { ReducedSamples, Reduction } from "../shared/index.ts";

/** Formats that are decoded whole, or by tiles, by others' decoders in WebAssembly. */
export type HeifJxlFormat = "heic" | "jxl";

/** A file as a thread finds it. */
export interface HeifJxlFile {
  /** The same for the same bytes, as long as the process lives. */
  readonly id: string;
  readonly format: HeifJxlFormat;
  /** Where the thread does not have them yet. */
  readonly bytes?: Uint8Array;
}

/** What is known of a page before it is decoded. */
export interface HeifJxlPage {
  /** As stored: of what is left once it is cropped, before it is turned. */
  readonly size: Size;
  readonly orientation: Orientation;
  /** What is decoded at once; the size, where that is all of it. */
  readonly tile: Size;
  /** Of a sample as stored: 1 to 32. */
  readonly bits: number;
  readonly model: "grey" | "rgb" | "cmyk";
  readonly alpha: boolean;
  readonly profile: Uint8Array | undefined;
}

/** What is asked of a thread. */
export type HeifJxlJob =
  | { readonly kind: "pages"; readonly file: HeifJxlFile }
  | {
      readonly kind: "part";
      readonly file: HeifJxlFile;
      /** Counted from 0. */
      readonly page: number;
      readonly reduction: Reduction;
      /** Whether the page's profile has to be in the answer. */
      readonly profiled: boolean;
    };

/** Interleaved samples: colours as the page's model has them, then the opacity, if there is one. */
export interface Pixels {
  readonly values: ReducedSamples;
  readonly depth: 8 | 16;
  readonly channels: number;
}

/** What comes of a job; `absent` where the thread would need the bytes. */
export type HeifJxlOutcome =
  | { readonly absent: true }
  | { readonly pages: readonly HeifJxlPage[] }
  | { readonly pixels: Pixels; readonly profile: Uint8Array | undefined };

/** A tile, or what of it lies on the image. */
export interface Tile extends Pixels {
  readonly size: Size;
}

/** A file that a thread has open. */
export interface HeifJxlImage {
  readonly pages: readonly HeifJxlPage[];
  /** Where the page's first pixel lies on its first tile. */
  offset(page: number): { readonly x: number; readonly y: number };
  /** Decodes a tile, counted from 0; throws `unreadable` where it is damaged. */
  tile(page: number, column: number, row: number): Tile;
  /** Releases its memory. */
  close(): void;
}

/** What a thread may take. */
export interface HeifJxlLimits {
  /** Bytes of an image, or of one of its tiles, once decoded. */
  readonly decoded: number;
  /** Pixels of a page. */
  readonly pixels: number;
  /** All that the decoder and what is kept may take, in bytes. */
  readonly memory: number;
  /** How long a part may take, in milliseconds, before its thread is ended. */
  readonly ms: number;
}
