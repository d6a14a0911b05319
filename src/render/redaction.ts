import { asStored, type Rect, round } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { Raster } from "../formats/shared/index.ts";
import { sharpenApron } from "./finish.ts";
import { wantOf } from "./geometry.ts";
import type { Job, Step } from "./job.ts";
import type { Picture } from "./picture.ts";
import type { RasterSamples } from "./samples.ts";
import { reachOf } from "./scale.ts";
import { settle } from "./settle.ts";

/**
 * The redactions that matter to a plan, clipped to the page and in a fixed order: those that touch
 * the visible part, and the surrounding pixels that scaling or sharpening may mix into it. They are
 * given in pixels of the upright page, and returned in pixels of the page as stored.
 */
export const redactionsOn = (
  redactions: readonly Rect[],
  plan: Plan,
  page: Page,
): readonly Rect[] => {
  const seen = seenBy(plan, page);
  const kept = new Map<string, Rect>();
  for (const redaction of redactions) {
    const stored = asStored(redaction, page.size, plan.orientation);
    const rect = common(stored, { x: 0, y: 0, ...page.size });
    if (rect === undefined || common(rect, seen) === undefined) continue;
    kept.set(`${rect.x},${rect.y},${rect.width},${rect.height}`, rect);
  }
  return [...kept.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, rect]) => rect);
};

/**
 * The part of a page that a plan's pixels may depend on, in full-size pixels of the page as stored;
 * rather too much.
 */
const seenBy = (plan: Plan, page: Page): Rect => {
  const reduces = plan.size.width < plan.crop.width || plan.size.height < plan.crop.height;
  const reach = reachOf(reduces ? plan.downscaleFilter : plan.upscaleFilter);
  const { crop, size } = wantOf(plan, page, { apron: 0, reach });
  const apron = plan.sharpen > 0 ? sharpenApron : 0;
  const margin = (side: "width" | "height"): number => {
    const scale = crop[side] / size[side];
    return Math.ceil((reach + levelReach) * Math.max(1, scale) + apron * scale) + blockSide;
  };
  const [x, y] = [margin("width"), margin("height")];
  return { x: crop.x - x, y: crop.y - y, width: crop.width + 2 * x, height: crop.height + 2 * y };
};

/**
 * How far around it a pixel of a stored level depends on others, at worst with wavelets; in pixels
 * of the level.
 */
const levelReach = 4;
/** Distance within which compression mixes colours: a JPEG block with subsampled chroma. */
const blockSide = 16;

const common = (one: Rect, other: Rect): Rect | undefined => {
  const x = Math.max(one.x, other.x);
  const y = Math.max(one.y, other.y);
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
};

/**
 * Blacks redactions out, opaquely, before any of their pixels are mixed with others. Applied to
 * pixels of the raster, which may have been cropped.
 */
export const redact: Step = async (picture, job) => {
  const { plan, raster, placement } = job;
  const redactions = plan.cover?.redactions ?? [];
  if (redactions.length === 0) return picture;
  const { x = 0, y = 0 } = placement.cut ?? {};
  const start = readReduced(picture, job);
  const isReduced = start !== picture;
  const shown = { size: isReduced ? start.size : raster.size, covers: raster.covers };
  return settle(start, (samples) => {
    for (const redaction of redactions) {
      const rect = inRaster(redaction, shown, isReduced ? farSpread : spread);
      const part = common({ ...rect, x: rect.x - x, y: rect.y - y }, { x: 0, y: 0, ...samples });
      if (part !== undefined) blacken(samples, part);
    }
  });
};

/**
 * A large JPEG to be downscaled, as its loader reads it at a half, a quarter or an eighth, so that
 * it is never held at full size. `farSpread` covers the mixing this causes.
 */
const readReduced = (picture: Picture, { plan, halves, linear }: Job): Picture => {
  const by = halves && !linear && picture.pending === undefined ? reducedBefore(plan) : 1;
  if (by === 1) return picture;
  const size = { width: round(picture.size.width / by), height: round(picture.size.height / by) };
  const image = picture.image.resize(size.width, size.height, { fit: "fill", kernel: "cubic" });
  return { ...picture, image, size, pending: "scale" };
};

/**
 * The factor by which a JPEG that is read whole is shrunk before redaction: slightly more than its
 * loader can, and at most half the requested one.
 */
export const reducedBefore = ({ crop, size }: Plan): 1 | 3 | 5 | 9 => {
  const scale = Math.min(crop.width / size.width, crop.height / size.height);
  return scale >= 18 ? 9 : scale >= 10 ? 5 : scale >= 6 ? 3 : 1;
};

/**
 * The position of a page's redaction in a raster, enlarged by so many pixels each way; may extend
 * beyond it.
 */
const inRaster = (
  rect: Rect,
  { size, covers }: Pick<Raster, "size" | "covers">,
  spread: number,
): Rect => {
  const along = (start: number, length: number, from: number, factor: number) => {
    const first = Math.floor((start - from) / factor) - spread;
    return { first, count: Math.ceil((start + length - from) / factor) + spread - first };
  };
  const across = along(rect.x, rect.width, covers.x, covers.width / size.width);
  const down = along(rect.y, rect.height, covers.y, covers.height / size.height);
  return { x: across.first, y: down.first, width: across.count, height: down.count };
};

/**
 * Pixels of a raster that are blacked out around a redaction: downscaling and chroma subsampling
 * mix redacted pixels into those.
 */
const spread = 2;

/**
 * The same where a loader shrank the page, which drops pixels at the far edges and is followed by a
 * cubic filter.
 */
const farSpread = 6;

const blacken = (samples: RasterSamples, { x, y, width, height }: Rect): void => {
  const { channels, max } = samples;
  const hasAlpha = channels === 2 || channels === 4;
  for (let at = y; at < y + height; at++) {
    const row = samples.row(at);
    row.fill(0, x * channels, (x + width) * channels);
    if (hasAlpha)
      for (let pixel = x; pixel < x + width; pixel++) row[(pixel + 1) * channels - 1] = max;
  }
};
