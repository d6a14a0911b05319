import { type Cells, cellsOf, isEmpty, type Resolution, shared } from "./grid.ts";
import { TagTree, type TreeShapes } from "./tag-tree.ts";

/** The blocks of a band that are in one precinct. */
export interface BandOfPrecinct {
  /** Index of the resolution's band. */
  readonly band: number;
  /** Places of blocks, in cells of the band's grid. */
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly rows: number;
  /** Number of the first one among those of the precinct; the others follow row by row. */
  readonly first: number;
}

/** The layout of a precinct's blocks, band by band; empty bands are omitted. */
export interface PrecinctShape {
  readonly bands: readonly BandOfPrecinct[];
  readonly blocks: number;
}

/**
 * Precincts of a resolution whose blocks are requested, and which blocks of each of its bands, as
 * `Cells`.
 */
export interface PrecinctsWanted {
  readonly resolution: Resolution;
  readonly cells: Cells;
  readonly blocks: readonly (Cells | undefined)[];
}

/** The blocks of a precinct. */
export const shapeOf = (resolution: Resolution, precinct: number): PrecinctShape => {
  const { precincts, blockWidth, blockHeight } = resolution;
  const column = precinct % precincts.columns;
  const x = precincts.x + column;
  const y = precincts.y + (precinct - column) / precincts.columns;
  const less = bandExponentOffset(resolution);
  // A power would take some twenty times as long, and no exponent exceeds 15.
  const width = 1 << (resolution.precinctWidth - less);
  const height = 1 << (resolution.precinctHeight - less);
  const own = { x0: x * width, y0: y * height, x1: (x + 1) * width, y1: (y + 1) * height };
  const bands: BandOfPrecinct[] = [];
  let blocks = 0;
  let band = -1;
  for (const { box } of resolution.bands) {
    band++;
    const inside = shared(box, own);
    if (isEmpty(inside)) continue;
    const { x, y, columns, rows } = cellsOf(inside, blockWidth, blockHeight);
    bands.push({ band, x, y, columns, rows, first: blocks });
    blocks += columns * rows;
  }
  return { bands, blocks };
};

/** The difference of a precinct's exponents in a band and at its resolution. */
export const bandExponentOffset = ({ level }: Resolution): number => (level === 0 ? 0 : 1);

/**
 * Tag trees of a band: the layer in which a block is first included, and its number of zero bit
 * planes (B.10.4, B.10.5).
 */
export interface BandTrees extends BandOfPrecinct {
  readonly inclusion: TagTree;
  readonly missing: TagTree;
}

/** Trees of a precinct before any packet. */
export const treesOf = ({ bands }: PrecinctShape, shapes: TreeShapes): BandTrees[] => {
  let count = 0;
  for (const { columns, rows } of bands) count += 2 * shapes.of(columns, rows).nodes;
  // One buffer for all trees: there may be very many precincts.
  const nodes = new Int32Array(count);
  let used = 0;
  return bands.map(({ band, x, y, columns, rows, first }) => {
    const shape = shapes.of(columns, rows);
    const inclusion = new TagTree(shape, nodes.subarray(used, used + shape.nodes));
    const missing = new TagTree(shape, nodes.subarray(used + shape.nodes, used + 2 * shape.nodes));
    used += 2 * shape.nodes;
    return { band, x, y, columns, rows, first, inclusion, missing };
  });
};

/** Whether a precinct of a resolution is in cells of the precinct grid. */
export const isIn = ({ precincts }: Resolution, precinct: number, cells: Cells): boolean => {
  const { x, y, columns } = precincts;
  const column = precinct % columns;
  const [left, top] = [x + column - cells.x, y + (precinct - column) / columns - cells.y];
  return left >= 0 && top >= 0 && left < cells.columns && top < cells.rows;
};

/** The numbers of the precincts in cells of their grid, row by row. */
export const precinctsIn = function* ({ precincts }: Resolution, cells: Cells): Generator<number> {
  const first = (cells.y - precincts.y) * precincts.columns + cells.x - precincts.x;
  for (let row = 0; row < cells.rows; row++)
    for (let column = 0; column < cells.columns; column++)
      yield first + row * precincts.columns + column;
};
