import type { FormatName } from "../core/formats.ts";
import { area, atLeastOne, fitWithin, type Size, upright } from "../core/geometry.ts";
import type { ImageInfo, Level, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { mayHavePyramid } from "../pyramids/encoding.ts";
import { isSlow } from "../pyramids/slow.ts";
import { costOf } from "../render/cost.ts";
import type { CostPair, ZoomCost } from "./facts.ts";

/** Width and height of a pyramid's tiles and of the small overview, in pixels. */
const side = 512;

/** A page with its info and file. */
export interface StoredPage {
  readonly info: ImageInfo;
  readonly page: Page;
  /** Size of the file in bytes. */
  readonly fileBytes: number;
}

/**
 * The cost of zooming into a page, now and with a pyramid; undefined if it is not slow or its
 * format gets no pyramid. `plan` is any plan for the page.
 */
export const zoomCostOf = (
  plan: Plan,
  { info, page, fileBytes }: StoredPage,
): ZoomCost | undefined => {
  if (!mayHavePyramid(info)) return undefined;
  const costIn = (stored: ImageInfo) => (probed: Plan) =>
    costOf(probed, stored, { maxStreamed: Number.MAX_SAFE_INTEGER });
  if (!isSlow(plan, { info, page }, costIn(info))) return undefined;
  const full = upright(page.size, page.orientation);
  const pyramid: ImageInfo = { format: "tif", pages: [pyramidOf(page)] };
  const compared = (probe: Pick<Plan, "crop" | "size">): CostPair => {
    const probed: Plan = { ...plan, ...probe, format: "jpg", rotation: 0 };
    return {
      now: Math.round(costIn(info)(probed).pixels),
      withPyramid: Math.round(costIn(pyramid)({ ...probed, page: 0, orientation: 1 }).pixels),
    };
  };
  const corner: Size = fitting(full);
  return {
    tile: compared({
      crop: { x: full.width - corner.width, y: full.height - corner.height, ...corner },
      size: corner,
    }),
    overview: compared({
      crop: { x: 0, y: 0, ...full },
      size: atLeastOne(fitWithin(full, fitting(full))),
    }),
    pyramidBytes: pyramidBytesOf(page, {
      format: info.format,
      fileBytes,
      pages: info.pages.length,
    }),
  };
};

const fitting = ({ width, height }: Size): Size => ({
  width: Math.min(side, width),
  height: Math.min(side, height),
});

/** The page as stored in its pyramid. */
const pyramidOf = (page: Page): Page => {
  const size = upright(page.size, page.orientation);
  const levels: [Level, ...Level[]] = [{ size, tile: { width: side, height: side } }];
  for (let { width, height } = size; width > side || height > side; ) {
    [width, height] = [Math.ceil(width / 2), Math.ceil(height / 2)];
    levels.push({ size: { width, height }, tile: { width: side, height: side } });
  }
  return { size, orientation: 1, colour: page.colour, levels };
};

/** Size of all levels of a pyramid together, relative to the first. */
const allLevels = 4 / 3;

/** Compression ratio of deflate for typical images. */
const deflated = 0.6;

/**
 * An estimate: the pyramid of a lossy image is about as large as the file; that of a lossless image
 * is at least as large as the file, and at most as large as its deflated pixels.
 */
const pyramidBytesOf = (
  { size, colour }: Page,
  {
    format,
    fileBytes,
    pages,
  }: { readonly format: FormatName; readonly fileBytes: number; readonly pages: number },
): number => {
  const samples = (colour.model === "grey" ? 1 : 3) + (colour.alpha ? 1 : 0);
  const raw = area(size) * samples * (colour.bits > 8 ? 2 : 1) * deflated;
  const stored = fileBytes / pages;
  const isJpeg = lossy.has(format) && colour.bits <= 8 && !colour.alpha;
  return Math.round((isJpeg ? stored : Math.max(raw, Math.min(stored, raw))) * allLevels);
};

/** Formats whose files are usually lossy, so that their pyramids are JPEG. */
const lossy: ReadonlySet<FormatName> = new Set(["jpg", "webp", "avif", "heic"]);
