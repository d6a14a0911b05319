import type { ImageInfo, Page } from "../core/info.ts";
import type { Losses } from "../formats/record/index.ts";
import { formatNamed } from "../formats/registry.ts";
import type { TileEncoding } from "../formats/write/pyramid/index.ts";

/** Both sides of a pyramid's tiles in pixels: those that info.json offers for untiled images. */
const tile = 512;

/** Qualities from which JPEG tiles keep colours at full resolution. */
const fullChroma = 92;
const maxHalfChroma = 89;

/**
 * How the tiles of a page's pyramid are stored, given the first bytes of the image's file: JPEG for
 * what lost as much before, else without loss. `quality` is that of JPEG, 1 to 100.
 */
export const encodingFor = (
  { format }: Pick<ImageInfo, "format">,
  { colour }: Page,
  { start, quality }: { readonly start: Uint8Array; readonly quality: number },
): TileEncoding => {
  const losses: Losses = formatNamed(format)?.losses?.(start) ?? "none";
  // JPEG has neither more bits nor transparency.
  if (losses === "none" || colour.bits > 8 || colour.alpha)
    return { compression: "deflate", quality, tile };
  const kept =
    losses === "chroma" ? Math.min(quality, maxHalfChroma) : Math.max(quality, fullChroma);
  return { compression: "jpeg", quality: kept, tile };
};

/** Whether images of a format may get a pyramid: those that consist of pixels. */
export const mayHavePyramid = ({ format }: Pick<ImageInfo, "format">): boolean =>
  formatNamed(format)?.losses !== undefined;
