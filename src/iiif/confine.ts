import { area, type Size } from "../core/geometry.ts";
import type { Confinement } from "../core/request.ts";
import type { Limits } from "./limits.ts";

/** Limits of an image that is confined to less than settings allow. */
export type ConfinedLimits = Limits & { readonly confined: true };

/**
 * The limits of a confined image; `full` is its upright size. Regions may have no finer resolution
 * than the whole, so that tiles cannot be joined to a larger image.
 */
export const confinedLimits = (
  limits: Limits,
  full: Size,
  confinement: Confinement | undefined,
): Limits | ConfinedLimits => {
  if (confinement === undefined) return limits;
  const { side = Number.POSITIVE_INFINITY, area: pixels = Number.POSITIVE_INFINITY } = confinement;
  const scale = Math.min(
    side / Math.max(full.width, full.height),
    Math.sqrt(pixels / area(full)),
    limits.max_scale === 0 ? Number.POSITIVE_INFINITY : limits.max_scale,
  );
  return {
    ...limits,
    confined: true,
    max_scale: Number.isFinite(scale) ? scale : limits.max_scale,
    max_pixels: limits.max_pixels === 0 ? finite(pixels) : Math.min(limits.max_pixels, pixels),
    // Measured by the image, a small region could be as large as all of it.
    "endpoint.iiif.scale_reference": "region",
  };
};

/** 0 means no limit. */
const finite = (pixels: number): number => (Number.isFinite(pixels) ? pixels : 0);
