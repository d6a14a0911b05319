import type { Size } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { Filter, Plan } from "../../core/plan.ts";
import { localPath, type RangeReader } from "../../core/range-reader.ts";
import type { Window } from "../shared/index.ts";
import { inputOf, type VipsInput } from "./input.ts";

/** A JPEG at half its size. */
interface Half {
  /** The file's path, with the option for libvips. */
  readonly input: string;
  readonly size: Size;
}

/** What a half is read for. */
interface HalfNeeds {
  readonly window: Pick<Window, "region" | "atLeast">;
  readonly plan: Pick<Plan, "linear" | "cover" | "downscaleFilter">;
}

/**
 * How to read a JPEG at half its size, from the lower half of each block's frequencies; undefined
 * unless exactly that is wanted. It takes half the time of reading and scaling all pixels. sharp
 * does so for smaller sizes only, but libvips accepts the option as a suffix of the path.
 */
export const inputAtHalf = (
  input: VipsInput,
  size: Size,
  { window: { region, atLeast }, plan }: HalfNeeds,
): Half | undefined => {
  // A part need not begin on a pixel of the half.
  const isHalf = (side: "width" | "height"): boolean =>
    size[side] % 2 === 0 && region[side] === size[side] && atLeast[side] * 2 === size[side];
  if (typeof input !== "string" || !isUnquoted(input)) return undefined;
  if (!isHalf("width") || !isHalf("height")) return undefined;
  // These need all pixels: scaling in linear light or by another filter, and redactions.
  if (plan.linear || !smooth.has(plan.downscaleFilter) || plan.cover?.redactions.length)
    return undefined;
  return { input: `${input}[shrink=2]`, size: { width: size.width / 2, height: size.height / 2 } };
};

/** Whether all of an image is read as `inputAtHalf` says where half its size is wanted. */
export const isReadAtHalf = async (
  reader: RangeReader,
  { format, pages: [{ size }] }: Pick<ImageInfo, "format" | "pages">,
  { plan, signal }: Pick<HalfNeeds, "plan"> & { readonly signal: AbortSignal },
): Promise<boolean> => {
  if (format !== "jpg" || (await localPath(reader, signal)) === undefined) return false;
  const input = await inputOf(reader, { format, max: reader.size, signal });
  const atLeast = { width: size.width / 2, height: size.height / 2 };
  const window = { region: { x: 0, y: 0, ...size }, atLeast };
  return inputAtHalf(input, size, { window, plan }) !== undefined;
};

/** The filters that a reduction by libjpeg comes close to. */
const smooth: ReadonlySet<Filter> = new Set(["bicubic", "lanczos3", "mitchell"]);

/** Whether libvips finds the option: quotes, backslashes and brackets in a path mislead it. */
const isUnquoted = (path: string): boolean => !/["'\\[\]]/.test(path);
