import type { Sharp } from "sharp";
import type { FormatName } from "../../core/formats.ts";
import type { Rect, Size } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { Plan } from "../../core/plan.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import type { Steps } from "../../core/steps.ts";
import type { Library } from "./library.ts";
import type { Sampling } from "./scaling-weights.ts";

/** A request to a decoder: part of a page, with at least a given size. */
export interface Window {
  /** Counted from 0. */
  readonly page: number;
  /** In whole full-size pixels of the page as stored (before its orientation is applied). */
  readonly region: Rect;
  /**
   * The decoder may use any stored resolution that gives the region at least this many pixels; may
   * be fractional.
   */
  readonly atLeast: Size;
  /**
   * Called each time more of the raster's `tiff` is final, except for the last part. Called with 0
   * rows if the raster is then read in another way. Optional for decoders.
   */
  readonly grown?: (raster: GrowingRaster, final: FinalPart) => void;
}

/** How much of an image is final, from the top. */
export interface FinalPart {
  readonly rows: number;
  /** Of its TIFF, in bytes from the beginning. */
  readonly bytes: number;
}

/** A raster that is still being read. */
export type GrowingRaster = Required<Pick<Raster, "tiff" | "size" | "covers">>;

/** Pixels on their way through the pipeline. */
export interface Raster {
  /** Without pending operations. */
  readonly image: Sharp;
  /** The same pixels as an uncompressed TIFF in tiles, where that is what they were read from. */
  readonly tiff?: Uint8Array;
  readonly size: Size;
  /**
   * The part of the full-size page, as stored, that the pixels show; at least the requested window.
   * May be fractional; may extend beyond the page by less than one of its own pixels.
   */
  readonly covers: Rect;
  /**
   * Set where reading the pixels at a half, a quarter or an eighth is faster without loss of
   * quality. Absent: the image has to be cropped before it is resized, so that its loader does not
   * reduce it.
   */
  readonly halves?: boolean;
}

/** A part of a stored level, requested pixel for pixel. */
export interface LevelPart {
  /** Counted from 0. */
  readonly page: number;
  /** Counted from 0, full size first, as in the page's info. */
  readonly level: number;
  /** In pixels of the level, inside it. */
  readonly region: Rect;
  /** Whether the page's colour profile has to be in the output. */
  readonly profiled: boolean;
}

/** What a decoder would read for a part or a window. */
export interface DecodingOptions {
  /** Counted from 0, full size first, as in the page's info. */
  readonly level: number;
  /** In pixels of the level. */
  readonly region: Rect;
  /** In words, as in `JPEG`. */
  readonly compression: string;
  /** Number of tiles or strips that the region touches. */
  readonly tiles: number;
  /** Number of code-blocks within these, where they are read individually. */
  readonly blocks?: number;
  /** Their stored bytes. */
  readonly bytes: number;
  /** Why the stored data cannot be the response; absent where, by its structure, it can. */
  readonly notStored?: string;
  /** Why it cannot be recoded; absent where, by its structure, it can. */
  readonly notRecoded?: string;
}

/** The subject of an explanation: a part of a level if there is one, else a window. */
export interface ReadingWanted {
  readonly window: Window;
  readonly part: LevelPart | undefined;
}

/** A part of a page, requested at another scale. */
export interface ScaledPart {
  readonly window: Window;
  /**
   * The position of the image's pixels on the level that the decoder selects for the window, and
   * the part of the page it shows.
   */
  readonly axes: (level: Pick<Raster, "size" | "covers">) => {
    readonly across: Sampling;
    readonly down: Sampling;
  };
  /** Whether the page's colour profile has to be in the output. */
  readonly profiled: boolean;
}

/** What is known of a file before any of its bytes is read; its length in bytes. */
export type FileSize = Pick<RangeReader, "size">;

export interface Decoder {
  /** Reads the complete info without decoding pixels; throws `unreadable` where it cannot. */
  info(reader: RangeReader, signal: AbortSignal): Promise<ImageInfo>;
  /**
   * As `info`, of a reader whose reads cost a request each; may be an outline, with fewer of them.
   * The facts of an outline agree with `info`.
   */
  outline?(reader: RangeReader, signal: AbortSignal): Promise<ImageInfo>;
  /** Reads a window; throws `unreadable` where the bytes are corrupt. */
  read(
    reader: RangeReader,
    info: ImageInfo,
    window: Window,
    plan: Plan,
    signal: AbortSignal,
  ): Promise<Raster>;
  /**
   * The stored bytes of exactly that part, where they are an image of the format by themselves;
   * undefined wherever that would differ from reading and encoding losslessly, and no steps at all
   * where that is known already. Has a job only where they have to be decoded before they may be
   * sent; throws `unreadable` where they are corrupt then.
   */
  stored?(
    file: FileSize,
    info: ImageInfo,
    part: LevelPart,
    format: FormatName,
  ): Steps<Uint8Array | undefined> | undefined;
  /**
   * A JPEG of exactly that part, made without libvips; undefined where that is impossible, and
   * where the data is unusual; no steps as in `stored`.
   */
  recode?(
    file: FileSize,
    info: ImageInfo,
    part: LevelPart,
    plan: Plan,
  ): Steps<Uint8Array | undefined> | undefined;
  /** As `recode`, of a part that is downscaled by the plan's filter. */
  scale?(
    file: FileSize,
    info: ImageInfo,
    part: ScaledPart,
    plan: Plan,
  ): Steps<Uint8Array | undefined> | undefined;
  /** What reading would involve; reads only the structure of the file. */
  explain?(
    reader: RangeReader,
    info: ImageInfo,
    wanted: ReadingWanted,
    plan: Plan,
    signal: AbortSignal,
  ): Promise<DecodingOptions>;
}

/** Pixels of 8 bits, row after row. */
export interface PlainPixels {
  readonly bytes: Uint8Array;
  readonly size: Size;
  /** 1 grey, 3 RGB. */
  readonly samples: 1 | 3;
  /** The ICC profile that belongs to them. */
  readonly profile: Uint8Array | undefined;
}

export interface Encoder {
  /** The encoder's name; libvips where absent. */
  readonly by?: Library;
  /** Encodes a finished image with the encoding options of the plan. */
  encode(image: Sharp, plan: Plan, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * As `encode`, of pixels in memory, which it takes over; undefined where it cannot encode them as
   * the plan wants.
   */
  encodePixels?(
    pixels: PlainPixels,
    plan: Plan,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
}

/** The codecs of a format; either may be missing. */
export interface Codec {
  readonly decoder?: Decoder;
  readonly encoder?: Encoder;
}

/** The format of the bytes, by content alone; undefined when it is none that can be read. */
export type Sniff = (reader: RangeReader, signal: AbortSignal) => Promise<FormatName | undefined>;
