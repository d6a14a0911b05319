import type { Size } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { Filter, Plan } from "../../core/plan.ts";
import { localPath, type RangeReader } from "../../core/range-reader.ts";
import type { Window } from "../shared/index.ts";
import { inputOf, type VipsInput } from "./input.ts";

/** The error at the far edge that reducing a JPEG during decoding may cause, in output pixels. */
export const maxShift = 0.1;

/** The factor by which sharp has libvips reduce a JPEG during decoding. */
export const loadedAt = (from: Size, to: Size): number => {
  const shrink = Math.min(from.width / to.width, from.height / to.height);
  const factor = [8, 4, 2].find((factor) => shrink >= factor) ?? 1;
  return factor > 1 && Math.floor(shrink) === factor ? factor / 2 : factor;
};

/**
 * By how much the far edge is displaced, in output pixels, when a JPEG is reduced by a factor during
 * decoding: libvips drops the remaining pixels at the right and the bottom, which stretches the
 * rest.
 */
export const shiftOf = (from: Size, to: Size, factor: number): number =>
  Math.max(
    ((from.width % factor) * to.width) / from.width,
    ((from.height % factor) * to.height) / from.height,
  );

/** A JPEG that libvips reduces during decoding. */
interface ReducedInput {
  /** The file's path, with the option for libvips. */
  readonly input: string;
  readonly size: Size;
}

/** What a reduced JPEG is read for, and from. */
interface ReductionNeeds {
  /**
   * The local file whose bytes are the input. Its path is read only to be used: it has to be checked
   * afterwards.
   */
  readonly file?: { readonly path?: string } | undefined;
  readonly window: Pick<Window, "region" | "atLeast">;
  readonly plan: Pick<Plan, "linear" | "cover" | "downscaleFilter">;
}

/**
 * How to have libvips reduce a JPEG by a factor that sharp would not choose: sharp has no option for
 * it, but libvips accepts one as a suffix of the path. Undefined where sharp's own choice is as good,
 * or where all pixels are needed; small files are read at exactly half only from all of their pixels.
 * The image must be cropped before it is resized: sharp would open the path to reduce it further, and
 * not find it because of the suffix.
 */
export const reducedInput = (
  input: VipsInput,
  size: Size,
  { file, window: { region, atLeast }, plan }: ReductionNeeds,
): ReducedInput | undefined => {
  // A part need not begin on a pixel of the reduced image.
  if (region.width !== size.width || region.height !== size.height) return undefined;
  if (plan.linear || plan.cover?.redactions.length) return undefined;
  const isLarge = typeof input === "string";
  const isHalf = isLarge && isHalfOf(size, atLeast) && smooth.has(plan.downscaleFilter);
  const factor = isHalf ? 2 : smallerFactor(size, atLeast);
  if (factor === undefined) return undefined;
  const path = isLarge ? input : file?.path;
  if (path === undefined || !isUnquoted(path)) return undefined;
  return {
    input: `${path}[shrink=${factor}]`,
    size: { width: Math.floor(size.width / factor), height: Math.floor(size.height / factor) },
  };
};

/**
 * Whether exactly half is wanted. sharp would read all pixels and scale them, which takes twice as
 * long as reading the lower half of each block's frequencies.
 */
const isHalfOf = ({ width, height }: Size, half: Size): boolean =>
  width % 2 === 0 && height % 2 === 0 && half.width * 2 === width && half.height * 2 === height;

/** The largest factor below sharp's that does not displace the image, if sharp's would. */
const smallerFactor = (from: Size, to: Size): number | undefined => {
  const loaded = loadedAt(from, to);
  if (shiftOf(from, to, loaded) <= maxShift) return undefined;
  return [4, 2].find((factor) => factor < loaded && shiftOf(from, to, factor) <= maxShift);
};

/** Whether all of an image is read at half its size where that is wanted. */
export const isReadAtHalf = async (
  reader: RangeReader,
  { format, pages: [{ size }] }: Pick<ImageInfo, "format" | "pages">,
  { plan, signal }: Pick<ReductionNeeds, "plan"> & { readonly signal: AbortSignal },
): Promise<boolean> => {
  if (format !== "jpg" || (await localPath(reader, signal)) === undefined) return false;
  const input = await inputOf(reader, { format, max: reader.size, signal });
  const atLeast = { width: size.width / 2, height: size.height / 2 };
  const window = { region: { x: 0, y: 0, ...size }, atLeast };
  return reducedInput(input, size, { window, plan }) !== undefined;
};

/** The filters that a reduction by libjpeg comes close to. */
const smooth: ReadonlySet<Filter> = new Set(["bicubic", "lanczos3", "mitchell"]);

/** Whether libvips finds the option: quotes, backslashes and brackets in a path mislead it. */
const isUnquoted = (path: string): boolean => !/["'\\[\]]/.test(path);
