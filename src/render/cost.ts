import type { Cost } from "../core/admission.ts";
import type { FormatName } from "../core/formats.ts";
import { area, upright } from "../core/geometry.ts";
import type { ImageInfo, Level, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { Window } from "../formats/codec.ts";
import { sharpenApron } from "./finish.ts";
import { turned, wantOf, windowOf } from "./geometry.ts";
import { reachOf } from "./scale.ts";

/**
 * What drawing a plan takes at most, going by what is known of the image alone. Nothing is read.
 * `mostStreamed` bounds the bytes charged for decoding a JPEG or PNG file that passes by in rows; one
 * that is progressive or interlaced is held whole.
 */
export const costOf = (
  plan: Plan,
  info: ImageInfo,
  { mostStreamed }: { readonly mostStreamed: number },
): Cost => {
  const page = info.pages[plan.page] ?? info.pages[0];
  const read = readingOf(plan, info.format, page);
  const drawn = area(plan.size);
  const answer = plan.rotation === 0 ? drawn : area(turned(plan.size, plan.rotation));
  const samples = samplesOf(page);
  const sample = samples * (page.colour.bits > 8 ? 2 : 1);
  // Linear light is worked out in floating point.
  const working = plan.linear ? samples * 4 : sample;
  const encoder = encoders[plan.format] ?? usualEncoder;
  const decodedBytes = read.pixels * sample;
  return {
    bytes:
      (read.streams ? Math.min(decodedBytes, mostStreamed) : decodedBytes) +
      read.coefficients * samples * coefficientBytes +
      // What is scaled, and once more where it is turned over, by degrees or settled in between.
      drawn * working * 2 +
      answer * sample * encoder.bytes,
    pixels: overhead + read.effort + drawn + answer * encoder.effort,
  };
};

/** What the fixed effort of any drawing comes to, in pixels. */
const overhead = 60_000;

interface Reading {
  /** Held in memory at once. */
  readonly pixels: number;
  /** Pixels' worth of decoding. */
  readonly effort: number;
  /** Decoded row by row. */
  readonly streams: boolean;
  /** Pixels whose coefficients are held until the last of them is read. */
  readonly coefficients: number;
}

const readingOf = (plan: Plan, format: FormatName, page: Page): Reading => {
  const reduces = plan.size.width < plan.crop.width || plan.size.height < plan.crop.height;
  const want = wantOf(plan, page, {
    apron: plan.sharpen > 0 ? sharpenApron : 0,
    reach: reachOf(reduces ? plan.downscaleFilter : plan.upscaleFilter),
  });
  const window = windowOf(want, page, plan.page);
  const level = sufficient(page, window);
  if (isInParts(page)) {
    const { pixels, tiles } = touched(level, page, window);
    const effort = format === "jp2" ? pixels * effortOfBlocks + tiles * effortOfTile : pixels;
    return { pixels, effort, streams: false, coefficients: 0 };
  }
  return readingOfFile(plan, page, { format, window });
};

/** The reading of a file that has no parts. */
const readingOfFile = (
  plan: Plan,
  page: Page,
  { format, window }: { readonly format: FormatName; readonly window: Window },
): Reading => {
  const all = area(page.size);
  const progressive = page.progressive === true;
  const streams = !progressive && (format === "jpg" || format === "png");
  // What lies below the window is not read of a file that passes by in rows.
  const rows = streams ? (window.region.y + window.region.height) / page.size.height : 1;
  if (format !== "jpg" && format !== "webp")
    return { pixels: all, effort: all * rows, streams, coefficients: 0 };
  const shrink = isWhole(plan, page) ? shrinkOf(plan) : 1;
  return {
    pixels: all / shrink ** 2,
    // Every bit up to there is read however small the picture comes out, and scan upon scan.
    effort: progressive ? all * effortOfScans : (all * rows) / shrink,
    streams: format === "jpg",
    coefficients: format === "jpg" && progressive ? all : 0,
  };
};

/** Of a coefficient of a progressive JPEG, which are all there before the first pixel can be. */
const coefficientBytes = 2;

/** What decoding a progressive JPEG takes against one that passes by in rows. */
const effortOfScans = 2;

/** What decoding the blocks of JPEG 2000 takes against tiles in other compressions. */
const effortOfBlocks = 10;

/** What finding the blocks of a tile of JPEG 2000 takes, however few there are: each has headers of its own. */
const effortOfTile = 20_000;

/** Whether parts of a page can be read without the rest. */
const isInParts = ({ levels: [{ size, tile }, ...others] }: Page): boolean =>
  others.length > 0 || tile.width < size.width || tile.height < size.height;

/** The smallest level that has as many pixels as a window asks for. */
const sufficient = (page: Page, { region, atLeast }: Window): Level =>
  page.levels.findLast(
    ({ size }) =>
      (region.width * size.width) / page.size.width >= atLeast.width - 1 &&
      (region.height * size.height) / page.size.height >= atLeast.height - 1,
  ) ?? page.levels[0];

/** The tiles of a level that a window touches, and the pixels that these have. */
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

/** How much smaller libvips makes a picture while it decodes it: 1, 2, 4 or 8. */
const shrinkOf = ({ crop, size }: Plan): 1 | 2 | 4 | 8 => {
  const factor = Math.min(crop.width / size.width, crop.height / size.height);
  return factor >= 8 ? 8 : factor >= 4 ? 4 : factor >= 2 ? 2 : 1;
};

const samplesOf = ({ colour }: Page): number =>
  (colour.model === "grey" ? 1 : colour.model === "cmyk" ? 4 : 3) + (colour.alpha ? 1 : 0);

interface EncoderCost {
  /** Bytes held per byte of the picture. */
  readonly bytes: number;
  /** Effort per pixel; decoding is 1. */
  readonly effort: number;
}

const usualEncoder: EncoderCost = { bytes: 1, effort: 1 };

const encoders: Readonly<Partial<Record<FormatName, EncoderCost>>> = {
  png: { bytes: 1.5, effort: 2 },
  gif: { bytes: 4, effort: 8 },
  webp: { bytes: 3, effort: 3 },
  avif: { bytes: 6, effort: 8 },
  jp2: { bytes: 10, effort: 12 },
  jxl: { bytes: 24, effort: 8 },
};
