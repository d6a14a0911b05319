import { fail } from "../../core/errors.ts";
import { area, type Rect, round, type Size } from "../../core/geometry.ts";
import type { Level, Page } from "../../core/info.ts";
import type { Window } from "../shared/index.ts";

/** Points per inch (ISO 32000-2, 8.3.2.3). */
const pointsPerInch = 72;

/** Minimum longer side of a listed level, in pixels: smaller sizes can be rendered as well. */
const smallestLevel = 128;

/** A page of unknown size counts as US letter; rendering it reports the fault. */
const letter: Size = { width: 612, height: 792 };

/**
 * The pages of a document at a resolution in pixels per inch, from their alternating widths and
 * heights in points. Throws `unreadable` where there is none, or the first is corrupt.
 */
export const pagesOf = (sizes: Float64Array, dpi: number): readonly [Page, ...Page[]] => {
  const known = new Map<string, Page>();
  const pageAt = (at: number): Page => {
    const [width = 0, height = 0] = sizes.subarray(at, at + 2);
    const points = isSize(width) && isSize(height) ? { width, height } : letter;
    const size = { width: pixels(points.width, dpi), height: pixels(points.height, dpi) };
    // Most pages of a document are of the same size.
    const key = `${size.width} ${size.height}`;
    const page = known.get(key) ?? pageOf(size);
    known.set(key, page);
    return page;
  };
  const [width = 0, height = 0] = sizes;
  if (sizes.length === 0) fail("unreadable", "Expected a PDF document with a page; it has none.");
  if (!isSize(width) || !isSize(height))
    fail("unreadable", "Corrupt first page in the PDF document: it has no size.");
  const others = Array.from({ length: sizes.length / 2 - 1 }, (_, page) => pageAt(page * 2 + 2));
  return [pageAt(0), ...others];
};

const isSize = (points: number): boolean => Number.isFinite(points) && points > 0;

const pixels = (points: number, dpi: number): number =>
  Math.max(1, round((points * dpi) / pointsPerInch));

const pageOf = (size: Size): Page => ({
  size,
  orientation: 1,
  levels: levelsOf(size),
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
});

/**
 * A page can be rendered at any scale; its halvings are listed so that their tiles need no
 * surroundings.
 */
export const levelsOf = (size: Size): readonly [Level, ...Level[]] => {
  const smaller: Level[] = [];
  for (let factor = 2; Math.max(size.width, size.height) / factor >= smallestLevel; factor *= 2) {
    const level = {
      width: Math.ceil(size.width / factor),
      height: Math.ceil(size.height / factor),
    };
    smaller.push({ size: level, tile: level });
  }
  return [{ size, tile: size }, ...smaller];
};

/** A part of a page that is scaled as a whole. */
export interface PageArea {
  /** The scaled size of the whole page in pixels. */
  readonly whole: Size;
  /** In pixels of that, inside it. */
  readonly region: Rect;
  /** The part of the full-size page it shows; may be fractional. */
  readonly covers: Rect;
}

/** Maximum enlargement of a rendered page, each way. */
const maxEnlarged = 8;

/**
 * What to render for a window: the page scaled to exactly the requested size, so that no scaling
 * follows, or in full size where more pixels would exceed `max`.
 */
export const partOf = (page: Size, window: Window, max: number): PageArea => {
  const { region, atLeast } = window;
  const at = (enlarged: number): PageArea => {
    const across = side(page.width, Math.min(enlarged, atLeast.width / region.width));
    const down = side(page.height, Math.min(enlarged, atLeast.height / region.height));
    const x = along(region.x, region.width, across / page.width);
    const y = along(region.y, region.height, down / page.height);
    return {
      whole: { width: across, height: down },
      region: { x: x.from, y: y.from, width: x.length, height: y.length },
      covers: {
        x: (x.from * page.width) / across,
        y: (y.from * page.height) / down,
        width: (x.length * page.width) / across,
        height: (y.length * page.height) / down,
      },
    };
  };
  const part = at(maxEnlarged);
  return area(part.region) <= max ? part : at(1);
};

/** Tolerance for floating-point errors, in pixels. */
const slack = 1e-6;

const side = (length: number, scale: number): number =>
  Math.max(1, Math.ceil(length * scale - slack));

const along = (start: number, length: number, scale: number) => {
  const from = Math.floor(start * scale + slack);
  const to = Math.max(from + 1, Math.ceil((start + length) * scale - slack));
  return { from, length: to - from };
};
