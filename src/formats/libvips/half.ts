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
 * How to have libjpeg read a JPEG at half its size, from half the frequencies of each block, where
 * exactly that is wanted; undefined otherwise. Reading and scaling all pixels takes twice the time.
 * sharp shrinks a JPEG on loading only for smaller sizes, but libvips takes options behind a path.
 */
export const halfOf = (
  input: VipsInput,
  size: Size,
  { window: { region, atLeast }, plan }: HalfNeeds,
): Half | undefined => {
  // A part need not begin on a pixel of the half.
  const isHalf = (side: "width" | "height"): boolean =>
    size[side] % 2 === 0 && region[side] === size[side] && atLeast[side] * 2 === size[side];
  if (typeof input !== "string" || !isUnquoted(input)) return undefined;
  if (!isHalf("width") || !isHalf("height")) return undefined;
  // Pixels are to be mixed in linear light, by another filter, or after redactions.
  if (plan.linear || !smooth.has(plan.downscaleFilter) || plan.cover?.redactions.length)
    return undefined;
  return { input: `${input}[shrink=2]`, size: { width: size.width / 2, height: size.height / 2 } };
};

/** Whether all of an image is read as `halfOf` says where half its size is wanted. */
export const isReadAtHalf = async (
  reader: RangeReader,
  { format, pages: [{ size }] }: Pick<ImageInfo, "format" | "pages">,
  { plan, signal }: Pick<HalfNeeds, "plan"> & { readonly signal: AbortSignal },
): Promise<boolean> => {
  if (format !== "jpg" || (await localPath(reader, signal)) === undefined) return false;
  const input = await inputOf(reader, { format, max: reader.size, signal });
  const atLeast = { width: size.width / 2, height: size.height / 2 };
  const window = { region: { x: 0, y: 0, ...size }, atLeast };
  return halfOf(input, size, { window, plan }) !== undefined;
};

/** The filters that a reduction by libjpeg comes close to. */
const smooth: ReadonlySet<Filter> = new Set(["bicubic", "lanczos3", "mitchell"]);

/** Whether libvips finds the options behind a path: quotes, backslashes and brackets mislead it. */
const isUnquoted = (path: string): boolean => !/["'\\[\]]/.test(path);
