import type { FormatName } from "./formats.ts";
import type { Orientation, Size } from "./geometry.ts";

/** One stored resolution of a page; the first is full size. */
export interface Level {
  readonly size: Size;
  /** The stored tile, or the level's own size where it is not tiled. */
  readonly tile: Size;
}

/** How a page's colours are stored, as far as responses depend on it. */
export interface Colour {
  /** Bits per sample as stored: 1 to 64. */
  readonly bits: number;
  readonly model: "grey" | "rgb" | "cmyk" | "lab" | "other";
  readonly alpha: boolean;
  /**
   * The embedded ICC profile: `srgb` and `none` are not copied to the output, `kept` is an RGB or
   * grey profile that fits the samples, `converted` any other, which must be converted to sRGB.
   */
  readonly profile: "none" | "srgb" | "kept" | "converted";
}

export interface Page {
  /** As stored, before the orientation is applied. */
  readonly size: Size;
  readonly orientation: Orientation;
  readonly levels: readonly [Level, ...Level[]];
  readonly colour: Colour;
  /**
   * Set where no part can be decoded before the whole file is read: a progressive JPEG, an
   * interlaced PNG.
   */
  readonly progressive?: true;
  /**
   * Set where our own code decodes regions before libvips gets them, since it cannot read them as
   * stored.
   */
  readonly isUnpacked?: true;
}

/**
 * What an encoding has lost: nothing, some accuracy of all samples, or also the resolution of
 * colours.
 */
export type Losses = "none" | "accuracy" | "chroma";

/**
 * Everything known about a source image before any pixel is decoded. Plain data that survives JSON.
 */
export interface ImageInfo {
  readonly format: FormatName;
  readonly pages: readonly [Page, ...Page[]];
  /** Absent: what the format loses in general. */
  readonly losses?: Losses;
  /**
   * Set where the only page represents every second of a video, counted from 0: its duration, or
   * `unknown` where only reading to the end reveals it.
   */
  readonly seconds?: number | "unknown";
  /**
   * Set where only the beginning of the file's structure was read: the only page is its first one,
   * with its largest levels; there may be smaller ones, and more pages. Never stored outside this
   * process.
   */
  readonly isOutline?: true;
  /** Of a video of unknown length: the first second known not to exist; absent where none is. */
  readonly endsBy?: number;
}

/** A page, or the second of a video, counted from 0; undefined where there is none. */
export const pageOf = ({ pages, seconds, endsBy }: ImageInfo, at: number): Page | undefined => {
  if (seconds === undefined) return pages[at];
  const end = seconds === "unknown" ? (endsBy ?? Number.POSITIVE_INFINITY) : seconds;
  return at < Math.max(1, end) ? pages[0] : undefined;
};
