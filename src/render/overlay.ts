import { fail } from "../core/errors.ts";
import { type Rect, type Size, turned } from "../core/geometry.ts";
import type { Canvas, Mark, Overlay } from "../core/overlay.ts";
import type { Extent } from "../iiif/version.ts";
import { blend } from "./blend.ts";
import { gridOf } from "./geometry.ts";
import type { Step } from "./job.ts";
import { settle } from "./settle.ts";
import { type Orienting, turnRect } from "./turn.ts";

/* Overlays implement `core/overlay.ts`; this file places and draws them. */

/**
 * The parts of a resolved request that place an overlay; the extent is in coordinates of the page
 * as offered.
 */
interface Placeable {
  readonly resolved: {
    readonly size: Size;
    readonly mirror: boolean;
    readonly rotation: number;
  };
  readonly extent: Pick<Extent, "page" | "crop">;
}

/**
 * The image that an overlay is placed against. With `page`, that of a tile is the whole page at the
 * tile's scale, if rotated by quarter turns only; anything else is an image of its own.
 */
export const canvasOf = (
  { resolved: { size, mirror, rotation }, extent: { page, crop } }: Placeable,
  placed: Overlay["placed"],
): Canvas => {
  const isTile = placed === "page" && rotation % quarter === 0 && isCell(crop, page);
  const grid = isTile ? gridOf(crop, size, page) : undefined;
  if (grid === undefined) {
    const answer = turned(size, rotation);
    return { size: answer, shown: { x: 0, y: 0, ...answer } };
  }
  const turns = ((rotation / quarter) % 4) as Orienting["turns"];
  return {
    size: turned(grid.whole, rotation),
    shown: turnRect(grid.window, grid.whole, { mirror, turns }),
  };
};

const quarter = 90;

/**
 * Whether a region is a cell of a grid of equal cells from a page's top left corner. The last cells
 * of a row or column may be smaller.
 */
const isCell = (crop: Rect, page: Size): boolean =>
  isStep(crop.x, crop.width, page.width) && isStep(crop.y, crop.height, page.height);

const isStep = (start: number, length: number, whole: number): boolean =>
  start % length === 0 || (start + length === whole && length < start);

/** The marks that touch the visible part of a canvas, in pixels of the response. */
export const marksOn = (marks: readonly Mark[], { shown }: Canvas): readonly Mark[] =>
  marks
    .map(
      (mark): Mark => ({
        x: mark.x - shown.x,
        y: mark.y - shown.y,
        width: mark.width,
        height: mark.height,
        pixels: (part, signal) => mark.pixels(part, signal),
      }),
    )
    .filter((mark) => partWithin(mark, shown) !== undefined);

/** The visible part of a mark in pixels of the mark; undefined where there is none. */
const partWithin = ({ x, y, width, height }: Rect, picture: Size): Rect | undefined => {
  const left = Math.max(0, -x);
  const top = Math.max(0, -y);
  const right = Math.min(width, picture.width - x);
  const bottom = Math.min(height, picture.height - y);
  return right > left && bottom > top
    ? { x: left, y: top, width: right - left, height: bottom - top }
    : undefined;
};

/** Draws marks over an otherwise finished image; over black and white, in black and white. */
export const drawOverlay: Step = async (picture, { plan, signal }) => {
  const marks = plan.cover?.overlay?.marks;
  if (marks === undefined) return picture;
  const isBitonal = plan.quality === "bitonal";
  return settle(picture, async (samples) => {
    for (const mark of marks) {
      signal.throwIfAborted();
      const part = partWithin(mark, samples);
      if (part === undefined) continue;
      const pixels = await mark.pixels(part, signal);
      if (pixels.length !== part.width * part.height * 4)
        fail(
          "internal",
          `Expected an RGBA mark of ${part.width}x${part.height} pixels, got ${pixels.length} bytes.`,
        );
      const at: Rect = { ...part, x: mark.x + part.x, y: mark.y + part.y };
      blend(samples, at, { pixels, isBitonal });
    }
  });
};
