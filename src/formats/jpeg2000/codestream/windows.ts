import {
  type Band,
  type Cells,
  cellsOf,
  dividedUp,
  type GridBox,
  type Resolution,
  shared,
  type TileComponent,
} from "./grid.ts";
import { bandExponentOffset, type PrecinctsWanted } from "./precincts.ts";

/** The requested part of a band; the same for all components that are alike. */
export interface BandWindow {
  /** Index of the resolution's band. */
  readonly order: number;
  /** In coefficients of the band; zero beyond it. */
  readonly box: GridBox;
  /** The blocks that it touches, in cells of the band's grid, and the sides of a cell. */
  readonly cells: Cells;
  readonly width: number;
  readonly height: number;
}

/** A part of a resolution to be reconstructed. */
export interface LevelWindow {
  /** Of the resolution. */
  readonly level: number;
  /** In samples of the resolution. */
  readonly box: GridBox;
  /** The part that the next level needs, or the result. */
  readonly wanted: GridBox;
  readonly bands: readonly BandWindow[];
}

/** Radius of the wavelet filters (ISO/IEC 15444-1, F.3.8). */
const reach = { whole: 2, scaled: 4 };

/**
 * The windows to reconstruct of a tile-component, lowest level first, for a box at the resolution
 * of `levels` halvings less than the highest.
 */
export const levelWindows = (
  { resolutions, parameters }: TileComponent,
  box: GridBox,
  level: number,
): LevelWindow[] => {
  const margin = parameters.coding.reversible ? reach.whole : reach.scaled;
  const windows: LevelWindow[] = [];
  let wanted = box;
  for (const resolution of resolutions.slice(0, level + 1).reverse()) {
    const window = resolution.level === 0 ? wanted : shared(grown(wanted, margin), resolution.box);
    const bands = resolution.bands.map((band, order) =>
      bandWindow(resolution, band, order, window),
    );
    windows.push({ level: resolution.level, box: window, wanted, bands });
    wanted = dividedUp(window, 2, 2);
  }
  return windows.reverse();
};

const grown = ({ x0, y0, x1, y1 }: GridBox, margin: number): GridBox => ({
  x0: x0 - margin,
  y0: y0 - margin,
  x1: x1 + margin,
  y1: y1 + margin,
});

/** The part of a band needed for a window of its resolution (as in B-15). */
const bandWindow = (
  resolution: Resolution,
  band: Band,
  order: number,
  { x0, y0, x1, y1 }: GridBox,
): BandWindow => {
  const { kind, box: all } = band;
  const { blockWidth, blockHeight } = resolution;
  const step = kind === 0 ? 1 : 2;
  const [across, down] = [kind & 1, kind >> 1];
  const box = {
    x0: Math.ceil((x0 - across) / step),
    y0: Math.ceil((y0 - down) / step),
    x1: Math.ceil((x1 - across) / step),
    y1: Math.ceil((y1 - down) / step),
  };
  const cells = cellsOf(shared(box, all), blockWidth, blockHeight);
  const [width, height] = [1 << blockWidth, 1 << blockHeight];
  return { order, box, cells, width, height };
};

/** The number, among the blocks of the tile, that a row's block in column 0 would have. */
export const firstOf = ({ first, blocks }: Band, row: number): number =>
  first + (row - blocks.y) * blocks.columns - blocks.x;

/** The blocks of each band that a window touches; undefined where there are none. */
export const blocksOf = ({ bands }: LevelWindow): (Cells | undefined)[] =>
  bands.map(({ cells }) => (cells.columns * cells.rows > 0 ? cells : undefined));

/** The precincts that contain blocks of each band of a resolution. */
export const precinctsOf = (
  resolution: Resolution,
  blocks: readonly (Cells | undefined)[],
): PrecinctsWanted => {
  const less = bandExponentOffset(resolution);
  const across = resolution.precinctWidth - less - resolution.blockWidth;
  const down = resolution.precinctHeight - less - resolution.blockHeight;
  const cells = blocks.flatMap((own) => {
    if (own === undefined) return [];
    const [x, y] = [own.x >> across, own.y >> down];
    const columns = ((own.x + own.columns - 1) >> across) + 1 - x;
    return [{ x, y, columns, rows: ((own.y + own.rows - 1) >> down) + 1 - y }];
  });
  return { resolution, cells: cells.reduce(around, none), blocks };
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
