import type { Size } from "../../../core/geometry.ts";
import type { SampleLayout } from "../structure/index.ts";
import type { ValueRange } from "./scale.ts";
import type { YccMeaning } from "./ycc.ts";

/** A stored tile or strip to be converted to samples. */
export interface SampleJob {
  readonly bytes: Uint8Array;
  readonly layout: SampleLayout;
  /** Number of its rows; the last strip may have fewer. */
  readonly rows: number;
  readonly littleEndian: boolean;
  /** Compression to undo before LERC (LercParameters, 50674): 0 none, 1 deflate, 2 Zstandard. */
  readonly beforeLerc: number;
  /** Segments common to all JPEG tiles (JPEGTables, 347), to be inserted before each. */
  readonly tables?: Uint8Array | undefined;
  /** The target format; absent where samples are wanted as in an uncompressed tile. */
  readonly wanted?: WantedSamples;
}

/** Unsigned interleaved samples of `outputBits`, row after row, in the file's byte order. */
export interface WantedSamples {
  /** Part of the tile, relative to its first pixel. */
  readonly size: Size;
  /** Indexes of the stored samples that make up a pixel, counted from 0. */
  readonly channels: readonly number[];
  readonly range: ValueRange | undefined;
  /** Whether a profile describes the colours. */
  readonly profiled: boolean;
  /** The meaning of the samples, for YCbCr that is converted to RGB. */
  readonly ycc?: YccMeaning;
}

/** Decodes a tile into memory of its own; throws where it is corrupt. */
export type DecodeSamples = (job: SampleJob, signal: AbortSignal) => Promise<Uint8Array>;
