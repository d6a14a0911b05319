import type { Cost } from "../core/admission.ts";
import type { FormatName } from "../core/formats.ts";
import { area, turned, upright } from "../core/geometry.ts";
import type { ImageInfo, Level, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { Window } from "../formats/shared/index.ts";
import { sharpenApron } from "./finish.ts";
import { isInParts, wantOf, windowOf } from "./geometry.ts";
import { type MemoryEstimateInput, memoryOf, memoryOfScaled } from "./memory.ts";
import { reducedBefore } from "./redaction.ts";
import { reachOf } from "./scale.ts";

/**
 * Estimates the cost of rendering a plan, from the image's info alone; reads nothing. `maxStreamed`
 * bounds the bytes charged for decoding a JPEG or PNG file that is streamed in rows; a progressive
 * or interlaced one is held whole. `sourceBytes` is the size of the stored file, where known. With
 * `isRead`, the page has been read and scaled already.
 */
export const costOf = (
  plan: Plan,
  info: ImageInfo,
  {
    maxStreamed,
    sourceBytes,
    isRead = false,
  }: {
    readonly maxStreamed: number;
    readonly sourceBytes?: number;
    readonly isRead?: boolean;
  },
): Cost => {
  const page = info.pages[plan.page] ?? info.pages[0];
  const drawn = area(plan.size);
  const answer = plan.rotation === 0 ? drawn : area(turned(plan.size, plan.rotation));
  const encoded = answer * (encoderEfforts[plan.format] ?? 1);
  if (isRead)
    return {
      bytes: memoryOfScaled(plan, { page, answer }),
      pixels: overhead + drawn + encoded,
    };
  const read = readingOf(plan, info.format, page);
  const { effort, ...held } = read;
  return {
    bytes: memoryOf(plan, {
      ...{ format: info.format, page, answer, maxStreamed, sourceBytes },
      ...held,
    }),
    pixels: overhead + effort + drawn + encoded,
  };
};

/** The fixed cost of any render, in pixels. */
const overhead = 60_000;

interface CostInput
  extends Pick<MemoryEstimateInput, "isInParts" | "level" | "touched" | "region" | "shrink"> {
  /** The cost of decoding, in pixels. */
  readonly effort: number;
}

const readingOf = (plan: Plan, format: FormatName, page: Page): CostInput => {
  const reduces = plan.size.width < plan.crop.width || plan.size.height < plan.crop.height;
  const want = wantOf(plan, page, {
    apron: plan.sharpen > 0 ? sharpenApron : 0,
    reach: reachOf(reduces ? plan.downscaleFilter : plan.upscaleFilter),
  });
  const window = windowOf(want, page, plan.page);
  const level = sufficient(page, window);
  const region = (area(window.region) * area(level.size)) / area(page.size);
  if (isInParts(page)) {
    const { pixels, tiles } = touched(level, page, window);
    const effort = format === "jp2" ? pixels * effortOfBlocks + tiles * effortOfTile : pixels;
    return { isInParts: true, level, touched: pixels, region, shrink: 1, effort };
  }
  const shrinks = (format === "jpg" || format === "webp") && isWhole(plan, page);
  const shrink = shrinks ? shrinkOf(plan, format) : 1;
  return {
    ...{ isInParts: false, level, touched: area(page.size), region },
    shrink: format === "jpg" ? shrink : 1,
    effort: effortOfFile(page, { format, window, shrink }),
  };
};

/** The cost of decoding a file that has no parts. */
const effortOfFile = (
  page: Page,
  {
    format,
    window,
    shrink,
  }: { readonly format: FormatName; readonly window: Window; readonly shrink: number },
): number => {
  const all = area(page.size);
  const progressive = page.progressive === true;
  const streams = !progressive && (format === "jpg" || format === "png");
  // Rows below the window are not read from a streamed file.
  const rows = streams ? (window.region.y + window.region.height) / page.size.height : 1;
  if (format !== "jpg" && format !== "webp") return all * rows;
  // However small the output, every bit up to there is read, scan by scan.
  if (progressive) return all * effortOfScans;
  return format === "jpg"
    ? all * rows * (effortOfBits + (1 - effortOfBits) / shrink)
    : all / shrink;
};

/**
 * Cost of reading the bits of a JPEG relative to decoding all of it: measured with images of 45 to
 * 108 megapixels, which take 0.7 of the time at an eighth of the size.
 */
const effortOfBits = 0.65;

/** Cost of decoding a progressive JPEG relative to a baseline one. */
const effortOfScans = 2;

/** Cost of decoding JPEG 2000 blocks relative to tiles in other compressions. */
const effortOfBlocks = 10;

/** Cost of locating the blocks of a JPEG 2000 tile, however few: each has headers of its own. */
const effortOfTile = 20_000;

/** The smallest level with as many pixels as a window needs. */
const sufficient = (page: Page, { region, atLeast }: Window): Level =>
  page.levels.findLast(
    ({ size }) =>
      (region.width * size.width) / page.size.width >= atLeast.width - 1 &&
      (region.height * size.height) / page.size.height >= atLeast.height - 1,
  ) ?? page.levels[0];

/** The tiles of a level that a window touches, and their pixels. */
const touched = (
  { size, tile }: Level,
  page: Page,
  { region }: Window,
): { readonly pixels: number; readonly tiles: number } => {
  const along = (at: number, length: number, side: "width" | "height"): number => {
    const factor = page.size[side] / size[side];
    const first = Math.floor(at / factor / tile[side]);
    const last = Math.ceil((at + length) / factor / tile[side]);
    return Math.max(1, last - first);
  };
  const tiles = along(region.x, region.width, "width") * along(region.y, region.height, "height");
  return { tiles, pixels: tiles * area(tile) };
};

const isWhole = ({ crop, orientation }: Plan, page: Page): boolean =>
  area(crop) === area(upright(page.size, orientation));

/** The factor by which libvips shrinks an image on decoding: 1, 2, 4 or 8. */
const shrinkOf = (plan: Plan, format: FormatName): 1 | 2 | 4 | 8 => {
  if (plan.cover?.redactions.length) return format === "jpg" ? loadedAt[reducedBefore(plan)] : 1;
  const { crop, size } = plan;
  const factor = Math.min(crop.width / size.width, crop.height / size.height);
  return factor >= 8 ? 8 : factor >= 4 ? 4 : factor >= 2 ? 2 : 1;
};

/** The factor at which a JPEG is decoded for a given reduction. */
const loadedAt = { 1: 1, 3: 2, 5: 4, 9: 8 } as const;

/** Cost of encoding a pixel; decoding one is 1. */
const encoderEfforts: Readonly<Partial<Record<FormatName, number>>> = {
  png: 2,
  gif: 8,
  webp: 3,
  avif: 8,
  jp2: 12,
  jxl: 8,
};
