import type { ImageInfo, Page } from "../core/info.ts";
import type { Losses } from "../formats/record/index.ts";
import { formatNamed } from "../formats/registry.ts";
import type { TileEncoding } from "../formats/write/pyramid/index.ts";

/** Both sides of a pyramid's tiles in pixels: those that info.json offers for untiled images. */
const tile = 512;

/** Qualities from which JPEG tiles keep colours at full resolution. */
const fullChroma = 92;
const maxHalfChroma = 89;

/** How pyramids are encoded: `auto` by what the image lost before, or as asked where possible. */
export type PyramidEncoding = "auto" | "jpeg" | "webp" | "deflate";

/** What decides the encoding besides the page. */
export interface EncodingChoice {
  /** The first bytes of the image's file. */
  readonly start: Uint8Array;
  /** Of JPEG and WebP, 1 to 100. */
  readonly quality: number;
  readonly encoding: PyramidEncoding;
}

/**
 * How the tiles of a page's pyramid are stored. Automatically that is JPEG for what lost as much
 * before, else without loss. What an encoding cannot hold (more bits, transparency) is stored
 * without loss in any case.
 */
export const encodingFor = (
  { format }: Pick<ImageInfo, "format">,
  { colour }: Page,
  { start, quality, encoding }: EncodingChoice,
): TileEncoding => {
  const without: TileEncoding = { compression: "deflate", quality, tile };
  if (encoding === "deflate" || colour.bits > 8) return without;
  // WebP in TIFF has no grey of one sample.
  if (encoding === "webp" && colour.model !== "grey") return { compression: "webp", quality, tile };
  const losses: Losses = formatNamed(format)?.losses?.(start) ?? "none";
  if (colour.alpha || (losses === "none" && encoding !== "jpeg")) return without;
  const kept =
    losses === "chroma" ? Math.min(quality, maxHalfChroma) : Math.max(quality, fullChroma);
  return { compression: "jpeg", quality: kept, tile };
};

/** Whether images of a format may get a pyramid: those that consist of pixels. */
export const mayHavePyramid = ({ format }: Pick<ImageInfo, "format">): boolean =>
  formatNamed(format)?.losses !== undefined;
