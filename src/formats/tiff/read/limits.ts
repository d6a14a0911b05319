import { fail } from "../../../core/errors.ts";
import { area, type Rect } from "../../../core/geometry.ts";
import type { StoredLevel, StoredPage } from "../structure/index.ts";
import { tilesAround } from "./tiles.ts";

/**
 * Throws for a page none of whose levels can be read in parts of at most so many pixels: nothing of
 * it could be shown.
 */
export const checkParts = (page: StoredPage, max: number): void => {
  const min = Math.min(...page.map(partPixels));
  if (min > max)
    fail(
      "unreadable",
      `Expected a TIFF with tiles or strips of at most ${max} pixels; this one has some of ${min}.`,
    );
};

/** Throws where a region's tiles or strips have more than so many pixels. */
export const checkScanned = (level: StoredLevel, region: Rect, max: number): void => {
  // Tiles at the edges are whole, however little of them is in the image.
  const pixels = Math.max(area(tilesAround(level, region)), partPixels(level));
  if (pixels > max)
    fail(
      "unreadable",
      `Expected a region of a TIFF of at most ${max} pixels; this one has ${pixels}. Convert it to a pyramid.`,
    );
};

/** Pixels of a tile or strip, all of which are decoded for any of them. */
const partPixels = ({ tile }: StoredLevel): number => area(tile);
