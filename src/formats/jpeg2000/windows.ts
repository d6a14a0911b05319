import {
  type Band,
  type Box,
  type Cells,
  cellsOf,
  dividedUp,
  halvedUp,
  isEmpty,
  type Resolution,
  shared,
  type TileComponent,
} from "./grid.ts";
import type { BlockPlace } from "./known-blocks.ts";
import { lessInBands } from "./precincts.ts";
import type { PrecinctsWanted } from "./tile-index.ts";

/** A part of a band that is wanted. */
export interface BandWindow {
  readonly band: Band;
  /** In coefficients of the band. */
  readonly box: Box;
}

/** A part of a resolution that has to be put together. */
export interface LevelWindow {
  readonly resolution: Resolution;
  /** In samples of the resolution. */
  readonly box: Box;
  /** Of that, what the next level needs, or is the answer. */
  readonly wanted: Box;
  readonly bands: readonly BandWindow[];
}

/** The wavelets' filters reach so far to both sides (ISO/IEC 15444-1, F.3.8). */
const reach = { whole: 2, scaled: 4 };

/**
 * What has to be put together of a tile-component, the lowest level first, so that a box comes out at
 * the resolution of `levels` halvings less than the highest.
 */
export const levelWindows = (
  { resolutions, parameters }: TileComponent,
  box: Box,
  level: number,
): LevelWindow[] => {
  const margin = parameters.coding.reversible ? reach.whole : reach.scaled;
  const windows: LevelWindow[] = [];
  let wanted = box;
  for (const resolution of resolutions.slice(0, level + 1).reverse()) {
    const window = resolution.level === 0 ? wanted : shared(grown(wanted, margin), resolution.box);
    const bands = resolution.bands.map((band) => ({ band, box: inBand(window, band) }));
    windows.push({ resolution, box: window, wanted, bands });
    wanted = halvedUp(window, 1);
  }
  return windows.reverse();
};

const grown = ({ x0, y0, x1, y1 }: Box, margin: number): Box => ({
  x0: x0 - margin,
  y0: y0 - margin,
  x1: x1 + margin,
  y1: y1 + margin,
});

const inBand = (window: Box, { kind }: Band): Box => {
  if (kind === 0) return window;
  const [across, down] = [kind & 1, kind >> 1];
  const { x0, y0, x1, y1 } = window;
  return dividedUp({ x0: x0 - across, y0: y0 - down, x1: x1 - across, y1: y1 - down }, 2, 2);
};

/** The precincts that hold the blocks of a window. */
export const precinctsOf = ({ resolution, bands }: LevelWindow): PrecinctsWanted => {
  const less = lessInBands(resolution);
  const boxes = bands.map(({ band, box }) => shared(box, band.box));
  const all = boxes
    .filter((box) => !isEmpty(box))
    .map((box) => cellsOf(box, resolution.precinctWidth - less, resolution.precinctHeight - less));
  const blocks = boxes.map((box) =>
    isEmpty(box) ? undefined : cellsOf(box, resolution.blockWidth, resolution.blockHeight),
  );
  return { resolution, cells: all.reduce(around, none), blocks };
};

const none: Cells = { x: 0, y: 0, columns: 0, rows: 0 };

const around = (one: Cells, other: Cells): Cells => {
  if (one.columns === 0) return other;
  const x = Math.min(one.x, other.x);
  const y = Math.min(one.y, other.y);
  return {
    x,
    y,
    columns: Math.max(one.x + one.columns, other.x + other.columns) - x,
    rows: Math.max(one.y + one.rows, other.y + other.rows) - y,
  };
};

/** A block that is wanted. */
export interface BlockWanted {
  /** Among those of its resolution. */
  readonly number: number;
  readonly place: BlockPlace;
  /** In coefficients of its band. */
  readonly box: Box;
}

/** The blocks of a band that a window touches. */
export const blocksOf = function* (
  resolution: Resolution,
  { band, box }: BandWindow,
): Generator<BlockWanted> {
  const { blockWidth, blockHeight, first } = resolution;
  const own = resolution.bands.indexOf(band);
  const inside = shared(box, band.box);
  if (isEmpty(inside)) return;
  const { x, y, columns, rows } = cellsOf(inside, blockWidth, blockHeight);
  const [width, height] = [2 ** blockWidth, 2 ** blockHeight];
  for (let row = y; row < y + rows; row++)
    for (let column = x; column < x + columns; column++)
      yield {
        number:
          band.first - first + (row - band.blocks.y) * band.blocks.columns + column - band.blocks.x,
        place: { resolution, band: own, column, row },
        box: shared(band.box, {
          x0: column * width,
          y0: row * height,
          x1: (column + 1) * width,
          y1: (row + 1) * height,
        }),
      };
};
