import type { Size } from "../core/geometry.ts";
import { boundsOf } from "./bounds.ts";
import { confinedLimits } from "./confine.ts";
import { canEnlarge } from "./features.ts";
import { type OfferedPage, offer } from "./offer.ts";
import { listSizes, listTiles, type Tiling } from "./sizes.ts";
import type { InformationView } from "./version.ts";

/** The values that the info.json of any version contains. */
export interface Measures {
  readonly offered: OfferedPage;
  /** Maximum number of pixels of a response for the full region. */
  readonly maxArea: number;
  /** Maximum width and height, where the client is allowed less than the image has; else empty. */
  readonly max: { readonly maxWidth?: number; readonly maxHeight?: number };
  readonly enlarging: boolean;
  readonly sizes: readonly Size[];
  readonly tiles: readonly Tiling[];
}

export const measures = (view: InformationView): Measures => {
  const { page, constraint, confinement } = view;
  const offered = offer(page, constraint);
  const { size, full } = offered;
  const limits = confinedLimits(view.limits, full, confinement);
  const bounds = boundsOf(size, offered, limits);
  const side = (max: number, length: number): number =>
    bounds.constrained ? Math.min(max, length) : max;
  const { width, height } = bounds.box;
  return {
    offered,
    maxArea: Math.min(bounds.area, side(width, size.width) * side(height, size.height)),
    max:
      confinement && (width < size.width || height < size.height)
        ? { maxWidth: width, maxHeight: height }
        : {},
    enlarging: canEnlarge(offered, limits),
    sizes: listSizes(offered, limits),
    tiles: listTiles(page, offered, limits),
  };
};

/** Adds keys to an information document, replacing existing ones, and removes empty ones. */
export const document = (
  facts: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...facts, ...extra }).filter(([, value]) => !isEmpty(value)));

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0);
