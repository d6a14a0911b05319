import {
  area,
  atLeastOne,
  fitArea,
  fitWithin,
  round,
  roundUp,
  type Size,
  sameSize,
} from "../core/geometry.ts";
import type { ConfinedLimits } from "./confine.ts";
import type { Limits } from "./limits.ts";
import type { OfferedPage } from "./offer.ts";

/** How large a region of a page may be in the output. */
export interface SizeBounds {
  /** Maximum number of pixels; always finite. */
  readonly area: number;
  /** Maximum width and height by max_scale; infinite where it sets no limit. */
  readonly box: Size;
  /** Whether a scale constraint forbids enlarging. */
  readonly constrained: boolean;
  /** The size up to which nothing counts as enlarged. */
  readonly unscaled: Size;
  /** Whether larger sizes are refused rather than reduced to the limit, as in Cantaloupe. */
  readonly refuses: boolean;
  /** Whether the image is confined to a size for this client. */
  readonly confined: boolean;
  /**
   * Whether the region is so small that even a single pixel of it would be finer than the whole may
   * be.
   */
  readonly tiny: boolean;
}

/** Without max_pixels, nothing is enlarged beyond this many pixels. */
const ceiling = 100_000_000;

/** Minimum side of a confined region in pixels, before rounding. */
const smallest = 0.5;

/** The bounds of a region, in pixels of the offered page. */
export const boundsOf = (
  crop: Size,
  offer: OfferedPage,
  limits: Limits | ConfinedLimits,
): SizeBounds => {
  const { max_pixels, max_scale } = limits;
  const refuses = limits["endpoint.iiif.dialect"] === "cantaloupe";
  const byImage = limits["endpoint.iiif.scale_reference"] === "image";
  // Cantaloupe compares with the image before its scale constraint, which is checked separately.
  const share = byImage && refuses ? 1 : offer.share;
  const unscaled = byImage ? (refuses ? offer.full : offer.size) : crop;
  const factor = max_scale === 0 ? Number.POSITIVE_INFINITY : max_scale / share;
  const confined = "confined" in limits;
  // Rounded up, like the tiles at the edges that info.json implies.
  const side = (length: number): number =>
    confined ? Math.max(1, round(length * factor)) : roundUp(length * factor);
  return {
    area: max_pixels === 0 ? Math.max(area(crop), ceiling) : max_pixels,
    box: { width: side(unscaled.width), height: side(unscaled.height) },
    constrained: offer.share < 1,
    unscaled,
    refuses,
    confined,
    tiny:
      confined &&
      !sameSize(crop, offer.size) &&
      Math.min(crop.width, crop.height) * factor < smallest,
  };
};

/** The largest size of the region without enlarging: the meaning of `max`. */
export const largest = (crop: Size, bounds: SizeBounds): Size =>
  within(crop, bounds.area, {
    width: Math.min(crop.width, bounds.box.width),
    height: Math.min(crop.height, bounds.box.height),
  });

/** The largest size of the region at all: the meaning of `^max`. */
export const enlarged = (crop: Size, bounds: SizeBounds): Size =>
  bounds.constrained ? largest(crop, bounds) : within(crop, bounds.area, bounds.box);

/** True when the size counts as enlarged in either direction. */
export const enlarges = (size: Size, { unscaled }: SizeBounds): boolean =>
  size.width > unscaled.width || size.height > unscaled.height;

/** True when the size is no larger than max_scale allows. */
export const inScale = (size: Size, { box, tiny }: SizeBounds): boolean =>
  size.width <= box.width && size.height <= box.height && !tiny;

const within = (crop: Size, pixels: number, box: Size): Size => {
  if (Number.isFinite(box.width) && Number.isFinite(box.height)) {
    const fitted = atLeastOne(fitWithin(crop, box));
    if (area(fitted) <= pixels) return fitted;
  }
  return fitArea(crop, pixels);
};
