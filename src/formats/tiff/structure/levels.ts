import type { Rect } from "../../../core/geometry.ts";
import type { Window } from "../../shared/index.ts";
import type { StoredLevel, StoredPage } from "./pages.ts";

/** Missing pixels up to which a level is used all the same. */
const levelTolerance = 1;

/**
 * The smallest level that still has the requested pixels, within one of the whole level: otherwise
 * a region of a pixel or two would match any level.
 */
export const sufficient = (page: StoredPage, window: Window): StoredLevel => {
  const { region, atLeast } = window;
  const [full] = page;
  const across = (full.size.width * atLeast.width) / region.width - levelTolerance;
  const down = (full.size.height * atLeast.height) / region.height - levelTolerance;
  const enough = page.filter(
    ({ factor }) =>
      full.size.width / factor.width >= across && full.size.height / factor.height >= down,
  );
  return enough.at(-1) ?? full;
};

/** The whole pixels of a level that show a region of the full size, at least one. */
export const levelRegion = (level: StoredLevel, region: Rect): Rect => {
  const { factor, size } = level;
  const x = Math.min(Math.floor(region.x / factor.width), size.width - 1);
  const y = Math.min(Math.floor(region.y / factor.height), size.height - 1);
  const right = Math.min(Math.ceil((region.x + region.width) / factor.width), size.width);
  const bottom = Math.min(Math.ceil((region.y + region.height) / factor.height), size.height);
  return { x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
};
