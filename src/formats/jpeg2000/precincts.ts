import { type Band, type Box, cellsOf, isEmpty, type Resolution, shared } from "./grid.ts";
import { TagTree, type TreeShapes } from "./tag-tree.ts";

/** The blocks of a band that are in one precinct, and what packet headers said of them so far. */
export interface BandOfPrecinct {
  /** Number of the first block among those of the resolution; a row below it is `stride` further. */
  readonly first: number;
  readonly stride: number;
  readonly columns: number;
  readonly rows: number;
  /** The layer with which a block comes in, and its bit planes that are zero (B.10.4, B.10.5). */
  readonly inclusion: TagTree;
  readonly missing: TagTree;
}

/** The blocks of a precinct, band by band; bands without any are left out. */
export const bandsOfPrecinct = (
  resolution: Resolution,
  precinct: number,
  shapes: TreeShapes,
): BandOfPrecinct[] => {
  const { precincts } = resolution;
  const column = precinct % precincts.columns;
  const x = precincts.x + column;
  const y = precincts.y + (precinct - column) / precincts.columns;
  const parts = resolution.bands
    .map((band) => ({ band, box: boxInBand(resolution, band, x, y) }))
    .filter(({ box }) => !isEmpty(box))
    .map(({ band, box }) => {
      const cells = cellsOf(box, resolution.blockWidth, resolution.blockHeight);
      return { band, cells, shape: shapes.of(cells.columns, cells.rows) };
    });
  // One piece of memory for all trees: there may be very many precincts.
  const nodes = new Int32Array(parts.reduce((sum, { shape }) => sum + 2 * shape.nodes, 0));
  let used = 0;
  return parts.map(({ band: { first, blocks }, cells, shape }) => {
    const own = nodes.subarray(used, used + 2 * shape.nodes);
    used += own.length;
    return {
      first: first - resolution.first + (cells.y - blocks.y) * blocks.columns + cells.x - blocks.x,
      stride: blocks.columns,
      columns: cells.columns,
      rows: cells.rows,
      inclusion: new TagTree(shape, own),
      missing: new TagTree(shape, own.subarray(shape.nodes)),
    };
  });
};

/** How much smaller, by its exponent, a precinct is in a band than at its resolution. */
export const lessInBands = ({ level }: Resolution): number => (level === 0 ? 0 : 1);

const boxInBand = (resolution: Resolution, { box }: Band, x: number, y: number): Box => {
  const width = 2 ** (resolution.precinctWidth - lessInBands(resolution));
  const height = 2 ** (resolution.precinctHeight - lessInBands(resolution));
  return shared(box, { x0: x * width, y0: y * height, x1: (x + 1) * width, y1: (y + 1) * height });
};
