import type { Sharp } from "sharp";
import type { FormatName } from "../../core/formats.ts";
import type { Rect, Size } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { Plan } from "../../core/plan.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import type { Steps } from "../../core/steps.ts";
import type { Library } from "./library.ts";
import type { Sampling } from "./scaling-weights.ts";

/** What a decoder is asked for: part of a page, at no less than a size. */
export interface Window {
  /** Counted from 0. */
  readonly page: number;
  /** In whole full-size pixels of the page as stored (before its orientation is applied). */
  readonly region: Rect;
  /**
   * The decoder may pick any stored resolution that gives the region at least this many pixels; may
   * be fractional.
   */
  readonly atLeast: Size;
}

/** Pixels on their way through the pipeline. */
export interface Raster {
  /** With nothing done to it yet: no operation of the pipeline is pending. */
  readonly image: Sharp;
  readonly size: Size;
  /**
   * The part of the full-size page, as stored, that the pixels show; at least the window asked for.
   * May be fractional; may overhang the page by less than one of its own pixels.
   */
  readonly covers: Rect;
  /** Set where reading the pixels at a half, a quarter or an eighth is quicker, and as good. */
  readonly halves?: boolean;
}

/** A part of a stored level that is wanted pixel for pixel. */
export interface LevelPart {
  /** Counted from 0. */
  readonly page: number;
  /** Counted from 0, full size first, as in the page's info. */
  readonly level: number;
  /** In pixels of the level, inside it. */
  readonly region: Rect;
  /** Whether the page's colour profile has to be in the answer. */
  readonly profiled: boolean;
}

/** What a decoder would go through to read a part or a window. */
export interface DecodingOptions {
  /** Counted from 0, full size first, as in the page's info. */
  readonly level: number;
  /** In pixels of the level. */
  readonly region: Rect;
  /** In words, as in `JPEG`. */
  readonly compression: string;
  /** Tiles or strips that the region touches. */
  readonly tiles: number;
  /** Code-blocks within these, where they are read one by one. */
  readonly blocks?: number;
  /** Of these, as stored. */
  readonly bytes: number;
  /** Why what is stored cannot be the answer; absent where, by its structure, it can. */
  readonly notStored?: string;
  /** Why it cannot be recoded; absent where, by its structure, it can. */
  readonly notRecoded?: string;
}

/** What a reading is asked about: a part of a level if there is one, else a window. */
export interface ReadingWanted {
  readonly window: Window;
  readonly part: LevelPart | undefined;
}

/** A part of a page that is wanted at another scale. */
export interface ScaledPart {
  readonly window: Window;
  /**
   * Where the pixels of the image lie on the level that the decoder picks for the window, and
   * what of the page that shows.
   */
  readonly axes: (level: Pick<Raster, "size" | "covers">) => {
    readonly across: Sampling;
    readonly down: Sampling;
  };
  /** Whether the page's colour profile has to be in the answer. */
  readonly profiled: boolean;
}

/** What is known of a file's bytes before any of them is read; its length in bytes. */
export type FileSize = Pick<RangeReader, "size">;

export interface Decoder {
  /** Learns all there is to know without decoding pixels; throws `unreadable` where it cannot. */
  info(reader: RangeReader, signal: AbortSignal): Promise<ImageInfo>;
  /**
   * As `info`, of a reader whose reads cost a request each; with fewer of them, it may be an
   * outline. What an outline tells is what `info` tells.
   */
  outline?(reader: RangeReader, signal: AbortSignal): Promise<ImageInfo>;
  /** Reads a window; throws `unreadable` where the bytes are damaged. */
  read(
    reader: RangeReader,
    info: ImageInfo,
    window: Window,
    plan: Plan,
    signal: AbortSignal,
  ): Promise<Raster>;
  /**
   * The bytes that are stored of exactly that part, where they are an image of the format for
   * themselves; undefined wherever that would not be what reading and encoding without loss gives,
   * and no steps at all where that is known already. Has a job only where they have to be decoded
   * before they may be handed on; throws `unreadable` where they are damaged then.
   */
  stored?(
    file: FileSize,
    info: ImageInfo,
    part: LevelPart,
    format: FormatName,
  ): Steps<Uint8Array | undefined> | undefined;
  /**
   * A JPEG of exactly that part, drawn without libvips; undefined where that cannot be done, and
   * where anything is odd about the data; no steps as in `stored`.
   */
  recode?(
    file: FileSize,
    info: ImageInfo,
    part: LevelPart,
    plan: Plan,
  ): Steps<Uint8Array | undefined> | undefined;
  /** As `recode`, of a part that is reduced by the plan's filter. */
  scale?(
    file: FileSize,
    info: ImageInfo,
    part: ScaledPart,
    plan: Plan,
  ): Steps<Uint8Array | undefined> | undefined;
  /** What reading would go through; only what the structure of the file says is read for it. */
  explain?(
    reader: RangeReader,
    info: ImageInfo,
    wanted: ReadingWanted,
    plan: Plan,
    signal: AbortSignal,
  ): Promise<DecodingOptions>;
}

export interface Encoder {
  /** What writes it; libvips where this is absent. */
  readonly by?: Library;
  /** Encodes a finished image with the encoding options of the plan. */
  encode(image: Sharp, plan: Plan, signal?: AbortSignal): Promise<Uint8Array>;
}

/** A format's machinery; either half may be missing. */
export interface Codec {
  readonly decoder?: Decoder;
  readonly encoder?: Encoder;
}

/** Which format the bytes are, by content alone; undefined when it is none that can be read. */
export type Sniff = (reader: RangeReader, signal: AbortSignal) => Promise<FormatName | undefined>;
