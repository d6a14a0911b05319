import type { FormatName } from "./formats.ts";
import type { Orientation, Size } from "./geometry.ts";

/** One stored resolution of a page; the first is full size. */
export interface Level {
  readonly size: Size;
  /** The stored tile, or the level's own size where it is not tiled. */
  readonly tile: Size;
}

/** How a page's colours are stored, as far as answers depend on it. */
export interface Colour {
  /** Bits of one sample as stored: 1 to 64. */
  readonly bits: number;
  readonly model: "grey" | "rgb" | "cmyk" | "lab" | "other";
  readonly alpha: boolean;
  /**
   * The embedded ICC profile: `srgb` and `none` need no carrying along, `kept` is an RGB or grey
   * profile that fits the samples, `converted` any other, which must be converted to sRGB.
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
   * Set where any part of it is only there once the whole file is read: a progressive JPEG, an
   * interlaced PNG.
   */
  readonly progressive?: true;
  /**
   * Set where parts are decoded here before libvips has them, since it cannot read them as they are
   * stored.
   */
  readonly isUnpacked?: true;
}

/**
 * All the server knows of a source image before it decodes a pixel. Plain data: it goes to JSON and
 * back.
 */
export interface ImageInfo {
  readonly format: FormatName;
  readonly pages: readonly [Page, ...Page[]];
  /**
   * Set where the only page stands for every second of a video, counted from 0: how long it lasts,
   * or `unknown` where only its end tells.
   */
  readonly seconds?: number | "unknown";
  /**
   * Set where only the beginning of the file's structure was read: the only page is its first one,
   * and the levels are that page's largest; it may have smaller ones, and the file more pages.
   * Never kept outside this process.
   */
  readonly isOutline?: true;
  /**
   * Of a video of unknown length: the first second that was asked for in vain; absent where none
   * was.
   */
  readonly endsBy?: number;
}

/**
 * A page, or what stands for a second of a video, counted from 0; undefined where there is none.
 */
export const pageOf = ({ pages, seconds, endsBy }: ImageInfo, at: number): Page | undefined => {
  if (seconds === undefined) return pages[at];
  const end = seconds === "unknown" ? (endsBy ?? Number.POSITIVE_INFINITY) : seconds;
  return at < Math.max(1, end) ? pages[0] : undefined;
};
