import type { ImageInfo, Page } from "../core/info.ts";
import { formatNamed } from "../formats/registry.ts";
import type { LevelQualities } from "../formats/write/index.ts";
import type { TileEncoding } from "../formats/write/pyramid/index.ts";

/** Both sides of a pyramid's tiles in pixels: those that info.json offers for untiled images. */
const tile = 512;

/** Qualities from which JPEG tiles keep colours at full resolution. */
const fullChroma = 92;
const maxHalfChroma = 89;

/**
 * Added to the configured quality for reduced levels, the largest first. Scaling down concentrates
 * detail in fewer pixels, and the chroma of a 4:2:0 image has full resolution at half its size: at
 * the configured quality, tiles would visibly differ from those scaled from the image itself.
 */
const reducedGains = [4, 6, 8];
/** Above this quality, tiles become larger without looking better. */
const maxReduced = 98;

/** How pyramids are encoded: `auto` follows the image's own compression. */
export type PyramidEncoding = "auto" | "jpeg" | "webp" | "deflate";

/** The inputs of the decision besides the page. */
export interface EncodingChoice {
  /** Of JPEG and WebP, 1 to 100. */
  readonly quality: number;
  readonly encoding: PyramidEncoding;
}

/** How the tiles of a pyramid are stored. */
export type PyramidTiles = TileEncoding & LevelQualities;

/**
 * How the tiles of a page's pyramid are stored. `auto` is JPEG for images that are lossy already,
 * else lossless. Images that an encoding cannot represent (more than 8 bits, transparency) are
 * always stored losslessly.
 */
export const encodingFor = (
  info: Pick<ImageInfo, "format" | "losses">,
  { colour }: Page,
  { quality, encoding }: EncodingChoice,
): PyramidTiles => {
  const without: TileEncoding = { compression: "deflate", quality, tile };
  if (encoding === "deflate" || colour.bits > 8) return without;
  // WebP in TIFF does not support greyscale with one sample.
  const lossy = (compression: "jpeg" | "webp", full: number): PyramidTiles => {
    const reducedQualities = reducedGains.map((gain) =>
      Math.max(full, Math.min(quality + gain, maxReduced)),
    );
    return { compression, quality: full, tile, reducedQualities };
  };
  if (encoding === "webp" && colour.model !== "grey") return lossy("webp", quality);
  const losses = info.losses ?? formatNamed(info.format)?.losses ?? "none";
  if (colour.alpha || (losses === "none" && encoding !== "jpeg")) return without;
  const kept =
    losses === "chroma" ? Math.min(quality, maxHalfChroma) : Math.max(quality, fullChroma);
  return lossy("jpeg", kept);
};

/** Whether images of a format may get a pyramid: those that consist of pixels. */
export const mayHavePyramid = ({ format }: Pick<ImageInfo, "format">): boolean =>
  formatNamed(format)?.losses !== undefined;
