import { area, type Size } from "../../core/geometry.ts";
import type { Plan } from "../../core/plan.ts";
import type { Window } from "../shared/index.ts";
import type { ReducedImage } from "./layout.ts";

/** What is wanted of a JPEG. */
interface JpegWanted {
  readonly window: Pick<Window, "region" | "atLeast">;
  readonly plan: Pick<Plan, "crop" | "linear" | "cover" | "downscaleFilter">;
}

/**
 * The size at which to read all of a JPEG, where nothing else of it is needed; undefined where all
 * pixels are, or another decoder is as good.
 */
export const reducedImageFor = (
  size: Size,
  { window: { region, atLeast }, plan }: JpegWanted,
): ReducedImage | undefined => {
  if (region.width !== size.width || region.height !== size.height) return undefined;
  if (plan.linear || plan.cover?.redactions.length || area(size) < minPixels) return undefined;
  const wanted = { width: wholeOf(atLeast.width), height: wholeOf(atLeast.height) };
  const shrinks = [size.width / atLeast.width, size.height / atLeast.height] as const;
  if (Math.min(...shrinks) < minShrink - tolerance || area(wanted) > maxReducedPixels)
    return undefined;
  const isUsed = area(plan.crop) === area(size) || isTile(plan.crop, shrinks);
  return isUsed ? { size: wanted, filter: plan.downscaleFilter } : undefined;
};

/** Pixels below which a hand-over to a thread is not worth its time. */
const minPixels = 4_000_000;

/** By less, the colours of most JPEGs would have to be decoded completely. */
const minShrink = 4;

/** Maximum pixels of a reduced image, which is held in memory. */
const maxReducedPixels = 8_388_608;

const tolerance = 1e-6;

const wholeOf = (side: number): number => Math.ceil(side - tolerance);

/**
 * Whether a crop is on the grid of the image reduced by a whole factor, which tiles are cut from:
 * others would be scaled again, with other margins.
 */
const isTile = ({ x, y }: Plan["crop"], shrinks: readonly [number, number]): boolean =>
  shrinks.every((shrink) => {
    const factor = Math.round(shrink);
    return Math.abs(shrink - factor) < tolerance && x % factor === 0 && y % factor === 0;
  });
