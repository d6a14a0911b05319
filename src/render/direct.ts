import { type Rect, round } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Codec, LevelPart } from "../formats/codec.ts";
import { treatmentOf } from "./colour.ts";
import { gridOf } from "./geometry.ts";

/**
 * The finished picture where it is stored just as the plan wants it; undefined where it has to be
 * drawn. It is what drawing and encoding without loss would give.
 */
export const storedAnswer = async (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  { decoder }: Codec,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  if (!plan.stored || !decoder?.stored) return undefined;
  const part = partOf(plan, info);
  return part && decoder.stored(reader, info, part, plan.format, signal);
};

/** A JPEG of pixels that need no drawing, made without libvips; undefined where they do, or it cannot. */
export const recodedAnswer = async (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  { decoder }: Codec,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  if (!plan.direct || plan.format !== "jpg" || !decoder?.recode) return undefined;
  const part = partOf(plan, info);
  return part && decoder.recode(reader, info, part, plan, signal);
};

/** The part of a stored level that a plan wants with nothing done to it; undefined where there is none. */
export const partOf = (plan: Plan, { pages }: ImageInfo): LevelPart | undefined => {
  const page = pages[plan.page];
  if (page === undefined || !isUntouched(plan, page)) return undefined;
  const grid = gridOf(plan.crop, plan.size, page.size);
  const level = grid && levelOf(page, grid.factor);
  if (grid === undefined || level === undefined) return undefined;
  const region: Rect = grid.window;
  const { size } = page.levels[level] ?? page;
  // A level that rounded its size down lacks the page's last column or row.
  if (region.x + region.width > size.width || region.y + region.height > size.height)
    return undefined;
  return { page: plan.page, level, region, profiled: page.colour.profile === "kept" };
};

/** Whether neither the request nor the settings want anything done to 8-bit pixels without transparency. */
const isUntouched = (plan: Plan, { colour, orientation }: Page): boolean =>
  orientation === 1 &&
  !plan.mirror &&
  plan.rotation === 0 &&
  plan.quality === "default" &&
  plan.sharpen === 0 &&
  colour.bits === 8 &&
  !colour.alpha &&
  (colour.model === "rgb" || colour.model === "grey") &&
  !treatmentOf(plan, colour).converts;

/**
 * The level that is the page reduced by a factor: full size, or by a power of two, which is all
 * that levels are exactly.
 */
const levelOf = ({ size, levels }: Page, factor: number): number | undefined => {
  if (factor !== 2 ** round(Math.log2(factor))) return undefined;
  const index = levels.findIndex(
    (level) =>
      Math.abs(level.size.width - size.width / factor) < 1 &&
      Math.abs(level.size.height - size.height / factor) < 1,
  );
  return index < 0 ? undefined : index;
};
