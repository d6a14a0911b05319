import type { Steps } from "../../../core/steps.ts";
import { damaged } from "../../containers/index.ts";
import type { BlockKeeping } from "./block-cache.ts";
import { factsOf, type ResolutionFacts } from "./block-facts.ts";
import { unknown } from "./cached-blocks.ts";
import { type ComponentWindows, resolutionOf } from "./component-windows.ts";
import type { Cells, Resolution } from "./grid.ts";
import type { PrecinctsWanted } from "./precincts.ts";
import type { TileIndex } from "./tile-index.ts";
import { type BandWindow, blocksOf, firstOf, type LevelWindow, precinctsOf } from "./windows.ts";
import type { WorkBudget } from "./work-budget.ts";

/**
 * The precincts whose packets have to be read: where the index holds facts about blocks, those with
 * requested blocks of unknown data; otherwise, those with requested blocks that are not cached.
 */
export function* unknownOf(
  all: readonly ComponentWindows[],
  { facts }: TileIndex,
  keeping: BlockKeeping | undefined,
  workBudget: WorkBudget,
): Steps<readonly PrecinctsWanted[]> {
  const precincts: PrecinctsWanted[] = [];
  for (const windows of all)
    for (const level of windows.levels) {
      const resolution = resolutionOf(windows, level);
      const cells =
        facts !== undefined
          ? unknownIn(level, resolution, facts.of(resolution))
          : keeping === undefined
            ? blocksOf(level)
            : yield* notCached(level, resolution, keeping, workBudget);
      if (cells !== undefined) precincts.push(precinctsOf(resolution, cells));
    }
  return precincts;
}

/** The blocks that a window touches, band by band, if the stored data of any is unknown. */
const unknownIn = (
  level: LevelWindow,
  resolution: Resolution,
  facts: ResolutionFacts,
): readonly (Cells | undefined)[] | undefined =>
  level.bands.every((window) => areKnown(window, resolution, facts)) ? undefined : blocksOf(level);

/** Those blocks of each band that a window touches and that are not cached; undefined for none. */
function* notCached(
  { bands }: LevelWindow,
  resolution: Resolution,
  keeping: BlockKeeping,
  workBudget: WorkBudget,
): Steps<readonly (Cells | undefined)[] | undefined> {
  const blocks: (Cells | undefined)[] = [];
  for (const { order, cells } of bands) {
    const band = resolution.bands[order] ?? damaged("a band");
    let all: Cells | undefined;
    for (let row = cells.y; row < cells.y + cells.rows; row++) {
      all = grownBy(all, notCachedIn(cells, firstOf(band, row), keeping), row);
      if (workBudget.isDue(cells.columns)) yield* workBudget.pause();
    }
    blocks.push(all);
  }
  return blocks.every((cells) => cells === undefined) ? undefined : blocks;
}

/** Whether the stored data of all blocks that a window touches is known. */
const areKnown = (
  { order, cells }: BandWindow,
  { bands, first }: Resolution,
  { states }: ResolutionFacts,
): boolean => {
  const band = bands[order] ?? damaged("a band");
  const { x, y, columns, rows } = cells;
  for (let row = y; row < y + rows; row++) {
    const start = firstOf(band, row) - first;
    for (let column = x; column < x + columns; column++)
      if (states[start + column] === factsOf.unknown) return false;
  }
  return true;
};

/**
 * The half-open range of blocks in a row that a window touches and that are not cached, where
 * `first` is the number of the one in column 0. Cached ones are held from now on.
 */
const notCachedIn = (
  { x, columns }: Cells,
  first: number,
  keeping: BlockKeeping,
): readonly [number, number] => {
  let [from, to] = [x + columns, x];
  for (let column = x; column < x + columns; column++)
    if (keeping.find(first + column) === unknown) {
      from = Math.min(from, column);
      to = column + 1;
    }
  return [from, to];
};

/** Cells extended by some of the following row or a later one. */
const grownBy = (
  cells: Cells | undefined,
  [from, to]: readonly [number, number],
  row: number,
): Cells | undefined => {
  if (to <= from) return cells;
  if (cells === undefined) return { x: from, y: row, columns: to - from, rows: 1 };
  const x = Math.min(cells.x, from);
  const columns = Math.max(cells.x + cells.columns, to) - x;
  return { x, y: cells.y, columns, rows: row + 1 - cells.y };
};
