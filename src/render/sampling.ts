import type { Sampling } from "../formats/shared/index.ts";
import { type Axis, lastCovered, lineOf } from "./span.ts";

/** One axis of an image, and of the level that it is made of. */
type LevelAxis = Omit<Axis, "grid" | "stretched" | "apron" | "reach"> & {
  readonly grid?: (NonNullable<Axis["grid"]> & { readonly stretched: boolean }) | undefined;
};

/**
 * The positions of an image's pixels on one axis of a level, in fractions of a pixel. All images of
 * one grid share one row of pixels, and repeat the level's last one where it ends too soon.
 */
export const samplingOf = (axis: LevelAxis): Sampling => {
  const { grid, size: count, pixels } = axis;
  if (grid?.stretched)
    return { origin: 0, step: pixels / grid.whole, first: grid.at, count, last: grid.whole - 1 };
  const line = lineOf(axis);
  return {
    origin: line.toRaster(0),
    step: line.slope,
    first: grid?.at ?? 0,
    count,
    last: grid ? lastCovered(axis, line) : count - 1,
  };
};
