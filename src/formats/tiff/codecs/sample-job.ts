import type { Size } from "../../../core/geometry.ts";
import type { SampleLayout } from "../structure/index.ts";
import type { ValueRange } from "./scale.ts";
import type { YccMeaning } from "./ycc.ts";

/** A stored tile or strip that is to become samples. */
export interface SampleJob {
  readonly bytes: Uint8Array;
  readonly layout: SampleLayout;
  /** How many it has; the last strip may have fewer than others. */
  readonly rows: number;
  readonly littleEndian: boolean;
  /** What is undone before LERC (LercParameters, 50674): 0 nothing, 1 deflate, 2 Zstandard. */
  readonly beforeLerc: number;
  /** What all JPEG tiles have in common (JPEGTables, 347): segments to stand before each. */
  readonly tables?: Uint8Array | undefined;
  /**
   * What the samples are to become; absent where they are wanted as an uncompressed tile has them.
   */
  readonly wanted?: WantedSamples;
}

/**
 * Unsigned samples of `rewrittenBits`, pixel by pixel, row after row, in the byte order of the
 * file.
 */
export interface WantedSamples {
  /** Of the tile from its first pixel. */
  readonly size: Size;
  /** Which of a stored pixel's samples a pixel is to have, counted from 0. */
  readonly channels: readonly number[];
  readonly range: ValueRange | undefined;
  /** Whether a profile says what the colours are. */
  readonly profiled: boolean;
  /** What the samples mean, where they are YCbCr that is to become RGB. */
  readonly ycc?: YccMeaning;
}

/** Decodes a tile, into memory of its own; throws where it is damaged. */
export type DecodeSamples = (job: SampleJob, signal: AbortSignal) => Promise<Uint8Array>;
