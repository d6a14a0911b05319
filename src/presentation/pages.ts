import type { FormatName } from "../core/formats.ts";
import { area, upright } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Behavior } from "./views.ts";

/** Formats whose pages are frames of an animation. */
const animated: ReadonlySet<FormatName> = new Set(["gif", "webp", "png", "jxl"]);

/**
 * Number of canvases for an image: one for each page; for animations and videos a single one, for
 * the first frame.
 */
export const canvasCount = ({ format, pages, seconds }: ImageInfo): number =>
  seconds !== undefined || animated.has(format) ? 1 : pages.length;

/**
 * `paged` for documents of several pages: PDFs, and TIFFs whose pages are about as large as the
 * first; `individuals` for anything else.
 */
export const behaviorOf = (info: ImageInfo): Behavior =>
  canvasCount(info) > 1 && (info.format === "pdf" || (info.format === "tif" && areAlike(info)))
    ? "paged"
    : "individuals";

const areAlike = ({ pages: [first, ...others] }: ImageInfo): boolean =>
  others.every((page) => isAlike(page, first));

/** Sides may differ by an eighth, as in scans of one book. */
const isAlike = (one: Page, other: Page): boolean => {
  const [a, b] = [one, other].map(({ size, orientation }) => upright(size, orientation));
  if (a === undefined || b === undefined || area(b) === 0) return false;
  const [across, down] = [a.width / b.width, a.height / b.height];
  return [across, down].every((ratio) => ratio > 7 / 8 && ratio < 8 / 7);
};
