import type { Rect } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { Raster } from "../formats/codec.ts";
import { sharpenApron } from "./finish.ts";
import { wantOf } from "./geometry.ts";
import type { Step } from "./job.ts";
import type { Samples } from "./samples.ts";
import { reachOf } from "./scale.ts";
import { settle } from "./settle.ts";

/**
 * The redactions that matter to a plan, clipped to the page and in a fixed order: those that touch what is shown, and the pixels
 * around it that scaling or sharpening may mix into it. All in pixels of the page as stored.
 */
export const redactionsOn = (
  redactions: readonly Rect[],
  plan: Plan,
  page: Page,
): readonly Rect[] => {
  const seen = seenBy(plan, page);
  const kept = new Map<string, Rect>();
  for (const redaction of redactions) {
    const rect = common(redaction, { x: 0, y: 0, ...page.size });
    if (rect === undefined || common(rect, seen) === undefined) continue;
    kept.set(`${rect.x},${rect.y},${rect.width},${rect.height}`, rect);
  }
  return [...kept.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, rect]) => rect);
};

/** What of a page a plan's pixels may depend on, in full-size pixels of the page as stored; rather too much. */
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

/** How far a pixel of a stored level, of wavelets at worst, depends on pixels around it; in pixels of the level. */
const levelReach = 4;
/** Pixels within which compression mixes colours: a block of a JPEG with halved colours. */
const blockSide = 16;

const common = (one: Rect, other: Rect): Rect | undefined => {
  const x = Math.max(one.x, other.x);
  const y = Math.max(one.y, other.y);
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
};

/**
 * Blacks out what is redacted, opaquely, before anything is mixed of its pixels. To be done to pixels of the raster, of which a part
 * may have been cut out.
 */
export const redact: Step = async (picture, { plan, raster, placement }) => {
  const redactions = plan.cover?.redactions ?? [];
  if (redactions.length === 0) return picture;
  const { x = 0, y = 0 } = placement.cut ?? {};
  return settle(picture, (samples) => {
    for (const redaction of redactions) {
      const rect = inRaster(redaction, raster);
      const part = common({ ...rect, x: rect.x - x, y: rect.y - y }, { x: 0, y: 0, ...samples });
      if (part !== undefined) blacken(samples, part);
    }
  });
};

/** Where a redaction of the page lies in a raster, generously rounded outwards; may be partly beyond it. */
const inRaster = (rect: Rect, { size, covers }: Pick<Raster, "size" | "covers">): Rect => {
  const along = (start: number, length: number, from: number, factor: number) => {
    const first = Math.floor((start - from) / factor) - spread;
    return { first, count: Math.ceil((start + length - from) / factor) + spread - first };
  };
  const across = along(rect.x, rect.width, covers.x, covers.width / size.width);
  const down = along(rect.y, rect.height, covers.y, covers.height / size.height);
  return { x: across.first, y: down.first, width: across.count, height: down.count };
};

/**
 * Pixels of a raster that are blacked out around a redaction: reducing the page to a level, and colours that are stored at half the
 * resolution, mix what is redacted into those.
 */
const spread = 2;

const blacken = (samples: Samples, { x, y, width, height }: Rect): void => {
  const { channels, most } = samples;
  const hasAlpha = channels === 2 || channels === 4;
  for (let at = y; at < y + height; at++) {
    const row = samples.row(at);
    row.fill(0, x * channels, (x + width) * channels);
    if (hasAlpha)
      for (let pixel = x; pixel < x + width; pixel++) row[(pixel + 1) * channels - 1] = most;
  }
};
