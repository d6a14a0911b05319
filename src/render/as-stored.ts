import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { isConverted } from "./colour.ts";

/**
 * Why a page's pixels cannot be used as stored, given what the request or the settings want done to
 * them; undefined where 8-bit pixels without transparency are wanted unchanged.
 */
export const whyNotAsStored = (plan: Plan, page: Page): string | undefined => {
  const { colour, orientation } = page;
  if (plan.cover !== undefined) return "parts of it are hidden";
  if (orientation !== 1) return "the page is stored rotated or mirrored";
  if (plan.mirror) return "it is mirrored";
  if (plan.rotation !== 0) return "it is rotated";
  if (plan.quality !== "default") return `its quality is ${plan.quality}`;
  if (plan.sharpen !== 0) return "it is sharpened";
  if (colour.bits !== 8) return `samples have ${colour.bits} bits, not 8`;
  if (colour.alpha) return "the page has transparency";
  if (colour.model !== "rgb" && colour.model !== "grey")
    return `colours are ${colour.model}, neither RGB nor grey`;
  return isConverted(plan, colour) ? "colours are converted to sRGB" : undefined;
};

/** A page as a pyramid of it would have it: upright, and in the colours of responses. */
export const inPyramid = (plan: Plan, page: Page): Page => {
  const { colour } = page;
  const model = colour.model === "grey" ? "grey" : "rgb";
  return {
    ...page,
    orientation: 1,
    ...(isConverted(plan, colour) && { colour: { ...colour, model, profile: "none" } }),
  };
};
