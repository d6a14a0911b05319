import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { ScaledPart } from "../formats/shared/index.ts";
import { whyNotAsStored } from "./as-stored.ts";
import { type RequestedPart, wantOf, windowOf } from "./geometry.ts";
import { samplingOf } from "./sampling.ts";
import { reachOf } from "./scale.ts";

/** Why a plan needs more than downscaling, if it does. */
export const whyNotScaled = (plan: Plan, page: Page): string | undefined => {
  if (plan.linear) return "it is reduced in linear light";
  return isEnlarged(plan) ? "it is enlarged" : whyNotAsStored(plan, page);
};

const isEnlarged = ({ crop, size }: Plan): boolean =>
  size.width > crop.width || size.height > crop.height;

/** The part of a page that a plan wants downscaled. */
export const scaledPartOf = (plan: Plan, page: Page): ScaledPart => {
  const want = wantOf(plan, page, { apron: 0, reach: reachOf(plan.downscaleFilter) });
  return {
    window: windowOf(want, page, plan.page),
    axes: (level) => axesOf(want, level),
    profiled: page.colour.profile === "kept",
  };
};

const axesOf = (
  { page, crop, size, grid }: RequestedPart,
  { size: pixels, covers }: Parameters<ScaledPart["axes"]>[0],
): ReturnType<ScaledPart["axes"]> => ({
  across: samplingOf({
    page: page.width,
    crop: [crop.x, crop.width],
    size: size.width,
    grid: grid && { ...grid, whole: grid.whole.width, at: grid.window.x },
    covers: [covers.x, covers.width],
    pixels: pixels.width,
  }),
  down: samplingOf({
    page: page.height,
    crop: [crop.y, crop.height],
    size: size.height,
    grid: grid && { ...grid, whole: grid.whole.height, at: grid.window.y },
    covers: [covers.y, covers.height],
    pixels: pixels.height,
  }),
});
