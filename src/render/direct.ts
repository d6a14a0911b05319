import { type Rect, round } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader, ReadAtOnce } from "../core/range-reader.ts";
import type { Codec, LevelPart } from "../formats/codec.ts";
import { gridOf } from "./geometry.ts";
import { scaledAtOnce } from "./scaled.ts";
import { whatTouches } from "./untouched.ts";

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

/** As `storedAnswer`, of what is handed on only once all of it was decoded; throws `unreadable` where it is damaged. */
export const checkedAnswer = async (
  plan: Plan,
  reader: RangeReader,
  info: ImageInfo,
  { decoder }: Codec,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  if (!plan.stored || !decoder?.checked) return undefined;
  const part = partOf(plan, info);
  return part && decoder.checked(reader, info, part, plan.format, signal);
};

/** Whether `storedAnswer` may find something: what is wanted is no more than one tile of a level. */
export const mayBeStored = (plan: Plan, info: ImageInfo): boolean => {
  const part = plan.stored ? partOf(plan, info) : undefined;
  const tile = part && info.pages[part.page]?.levels[part.level]?.tile;
  if (part === undefined || tile === undefined) return false;
  return part.region.width <= tile.width && part.region.height <= tile.height;
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

/**
 * What `storedAnswer` would give, or else where `draws` is set `recodedAnswer`, where nobody need wait
 * for it; undefined for all else.
 */
export const answerAtOnce = (
  plan: Plan,
  read: ReadAtOnce,
  info: ImageInfo,
  { decoder }: Codec,
  draws: boolean,
): Uint8Array | undefined => {
  const part = partOf(plan, info);
  if (part) return decoder?.atOnce?.(read, info, part, plan, draws);
  return draws && decoder ? scaledAtOnce(plan, info, decoder) : undefined;
};

/** The part of a stored level that a plan wants with nothing done to it; undefined where there is none. */
export const partOf = (plan: Plan, info: ImageInfo): LevelPart | undefined => {
  const found = partOrReason(plan, info);
  return typeof found === "string" ? undefined : found;
};

/** The part of a stored level that a plan wants with nothing done to it, or why there is none. */
export const partOrReason = (plan: Plan, { pages }: ImageInfo): LevelPart | string => {
  const page = pages[plan.page];
  if (page === undefined) return "there is no such page";
  const touched = whatTouches(plan, page);
  if (touched !== undefined) return touched;
  const grid = gridOf(plan.crop, plan.size, page.size);
  if (grid === undefined) return "region and size are no tile of the page reduced by an integer";
  const level = levelOf(page, grid.factor);
  if (level === undefined) return `no stored level is the page reduced by ${grid.factor}`;
  const region: Rect = grid.window;
  const { size } = page.levels[level] ?? page;
  // A level that rounded its size down lacks the page's last column or row.
  if (region.x + region.width > size.width || region.y + region.height > size.height)
    return "the stored level lacks the page's last column or row";
  return { page: plan.page, level, region, profiled: page.colour.profile === "kept" };
};

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
