import { flatten, toLuma } from "./colour.ts";
import type { Step } from "./job.ts";
import { readyFor, settle } from "./settle.ts";

/** Radius of sharpening in pixels. */
export const sharpenApron = 8;

/** Returns to gamma-encoded samples, before any step expects them. */
export const toGammaEncoded: Step = async (picture, { treatment, linear }) => {
  if (!linear) return picture;
  const settled = await settle(picture);
  return { ...settled, image: flatten(settled.image, treatment) };
};

/** Sharpens edges: an unsharp mask on lightness that leaves flat areas alone. */
export const sharpen: Step = async (picture, { plan }) => {
  if (plan.sharpen === 0) return picture;
  const ready = await readyFor(picture, "sharpen");
  const image = ready.image.sharpen({ sigma: 1, m1: 0, m2: 3 * plan.sharpen });
  return { ...ready, image, pending: "sharpen" };
};

/** Converts to grey where requested. */
export const tone: Step = async (picture, { plan, page }) => {
  const wanted = plan.quality === "gray" || plan.quality === "bitonal";
  if (!wanted || page.colour.model === "grey") return picture;
  const isRgb = page.colour.model === "rgb";
  const ready = await readyFor(isRgb ? picture : await settle(picture), "luma");
  return { ...ready, ...toLuma(ready.image, ready.look), pending: "luma" };
};

/** Of 255: samples from here on are white. Fixed, so that tiles agree. */
const threshold = 128;

/** Reduces to black and white where requested. */
export const blackAndWhite: Step = async (picture, { plan, page }) => {
  if (plan.quality !== "bitonal") return picture;
  // The threshold is in 8 bits.
  const ready = await readyFor(page.colour.bits > 8 ? await settle(picture) : picture, "threshold");
  const image = ready.image.threshold(threshold, { greyscale: false });
  return { ...ready, image, pending: "threshold" };
};
