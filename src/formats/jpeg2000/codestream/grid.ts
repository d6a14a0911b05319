import { damaged } from "../../containers/index.ts";
import type { CodestreamHeader } from "./contract.ts";
import type { ComponentParameters, Quantization } from "./parameters.ts";

/** A half-open box; integers, in samples of whatever it is a part of. */
export interface GridBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export const isEmpty = ({ x0, y0, x1, y1 }: GridBox): boolean => x1 <= x0 || y1 <= y0;

/** The intersection of two boxes; may be empty. */
export const shared = (one: GridBox, other: GridBox): GridBox => ({
  x0: Math.max(one.x0, other.x0),
  y0: Math.max(one.y0, other.y0),
  x1: Math.min(one.x1, other.x1),
  y1: Math.min(one.y1, other.y1),
});

/** The box divided by steps, both ends rounded up (as in B-12, B-15). */
export const dividedUp = ({ x0, y0, x1, y1 }: GridBox, dx: number, dy: number): GridBox => ({
  x0: Math.ceil(x0 / dx),
  y0: Math.ceil(y0 / dy),
  x1: Math.ceil(x1 / dx),
  y1: Math.ceil(y1 / dy),
});

/** The box divided by 2^levels, both ends rounded up. */
export const halvedUp = (box: GridBox, levels: number): GridBox => {
  // A power would take some twenty times as long.
  const step = powers[levels] ?? 2 ** levels;
  return dividedUp(box, step, step);
};

/** Of 2, for as many levels as there can be. */
const powers: readonly number[] = Array.from({ length: 33 }, (_, level) => 2 ** level);

/**
 * The cells that a box touches in a grid of cells of 2^exponent a side that starts at the origin.
 */
export interface Cells {
  /** Number of the first column and row, counted from the origin. */
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly rows: number;
}

export const cellsOf = (box: GridBox, width: number, height: number): Cells => {
  // A power would take some twenty times as long, and no exponent exceeds 15.
  const [across, down] = [1 << width, 1 << height];
  const x = Math.floor(box.x0 / across);
  const y = Math.floor(box.y0 / down);
  if (isEmpty(box)) return { x, y, columns: 0, rows: 0 };
  return {
    x,
    y,
    columns: Math.ceil(box.x1 / across) - x,
    rows: Math.ceil(box.y1 / down) - y,
  };
};

/** A band of a resolution (B.5). */
export interface Band {
  /** 0 LL, 1 HL, 2 LH, 3 HH. */
  readonly kind: 0 | 1 | 2 | 3;
  readonly box: GridBox;
  readonly blocks: Cells;
  /** Number of its first block among those of the tile. */
  readonly first: number;
  /** Mb of E-2, plus the shift of a region of interest. */
  readonly magnitudeBits: number;
  /** Step of the quantizer (E-3); 1 where there is none. */
  readonly step: number;
}

export interface Resolution {
  readonly component: number;
  /** 0 is the lowest. */
  readonly level: number;
  readonly box: GridBox;
  readonly precincts: Cells;
  /** Exponents of the sides of precincts and, in each band, of blocks. */
  readonly precinctWidth: number;
  readonly precinctHeight: number;
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly bands: readonly Band[];
  /** Number of its first block among those of the tile, and number of blocks. */
  readonly first: number;
  readonly blocks: number;
}

export interface TileComponent {
  readonly parameters: ComponentParameters;
  readonly box: GridBox;
  /** A component, this one or an earlier one, whose bands and blocks have the same places. */
  readonly alike: number;
  /** The lowest first. */
  readonly resolutions: readonly Resolution[];
}

/** The geometry of a tile (annex B). */
export interface TileGrid {
  /** On the reference grid. */
  readonly box: GridBox;
  readonly components: readonly TileComponent[];
  readonly blocks: number;
}

/** The image area on the reference grid. */
export const imageBox = ({ image: { x, y, width, height } }: CodestreamHeader): GridBox => ({
  x0: x,
  y0: y,
  x1: x + width,
  y1: y + height,
});

/** The box of a tile on the reference grid (B-6 to B-10). */
export const tileBox = (header: CodestreamHeader, tile: number): GridBox => {
  const { tiles, columns } = header;
  const x0 = tiles.x + (tile % columns) * tiles.width;
  const y0 = tiles.y + Math.floor(tile / columns) * tiles.height;
  return shared({ x0, y0, x1: x0 + tiles.width, y1: y0 + tiles.height }, imageBox(header));
};

/**
 * Computes the geometry of a tile; throws `unreadable` where it has more parts than any real one.
 */
export const tileGrid = (
  header: CodestreamHeader,
  tile: number,
  parametersOf: (component: number) => ComponentParameters,
): TileGrid => {
  const box = tileBox(header, tile);
  let blocks = 0;
  let precincts = 0;
  const all = header.components.map((_, component) => parametersOf(component));
  const resolutions = all.reduce((sum, { coding }) => sum + coding.levels + 1, 0);
  if (resolutions > maxResolutions) damaged(`at most ${maxResolutions} resolutions in a tile`);
  const components: TileComponent[] = [];
  for (const [component, { dx, dy, precision }] of header.components.entries()) {
    const parameters = all[component] ?? damaged("a component");
    const own = dividedUp(box, dx, dy);
    const resolutions = Array.from({ length: parameters.coding.levels + 1 }, (_, level) => {
      const first = blocks;
      const resolution = layOut({ parameters, own, component, precision, level, first });
      blocks += resolution.blocks;
      precincts += resolution.precincts.columns * resolution.precincts.rows;
      if (precincts > maxPrecincts) damaged(`at most ${maxPrecincts} precincts in a tile`);
      if (blocks > maxBlocks) damaged(`at most ${maxBlocks} blocks in a tile`);
      return resolution;
    });
    const before = components.at(-1);
    const isAlike = before !== undefined && areAlike(before, parameters, own);
    const alike = isAlike ? before.alike : component;
    components.push({ parameters, box: own, alike, resolutions });
  }
  return { box, components, blocks };
};

const areAlike = (
  { parameters: { coding }, box }: TileComponent,
  own: ComponentParameters,
  { x0, y0, x1, y1 }: GridBox,
): boolean =>
  coding === own.coding && box.x0 === x0 && box.y0 === y0 && box.x1 === x1 && box.y1 === y1;

/**
 * Maximum number of blocks: a single tile of 65,535 x 65,535 RGB with blocks of 32 x 32 has 17
 * million.
 */
const maxBlocks = 2 ** 25;
/** Maximum number of precincts: as large a tile with precincts of 256 x 256 has 260,000. */
const maxPrecincts = 2 ** 22;
/** Of all components together. */
const maxResolutions = 2 ** 15;

interface ComponentGrid {
  readonly parameters: ComponentParameters;
  /** Of the tile-component. */
  readonly own: GridBox;
  readonly component: number;
  readonly precision: number;
  readonly level: number;
  readonly first: number;
}

const layOut = ({
  parameters,
  own,
  component,
  precision,
  level,
  first,
}: ComponentGrid): Resolution => {
  const { coding } = parameters;
  const box = halvedUp(own, coding.levels - level);
  const sides = coding.precincts[level] ?? damaged("precincts of every resolution");
  const precincts = cellsOf(box, sides.width, sides.height);
  // A precinct has half its side in each of the bands (B.7).
  const less = level === 0 ? 0 : 1;
  const blockWidth = Math.min(coding.blockWidth, sides.width - less);
  const blockHeight = Math.min(coding.blockHeight, sides.height - less);
  let next = first;
  const bands = (level === 0 ? lowest : others).map((kind): Band => {
    const bandBox = boxOfBand(own, coding.levels - level + less, kind);
    const blocks = cellsOf(bandBox, blockWidth, blockHeight);
    const { magnitudeBits, step } = quantizer(parameters, { level, kind, precision });
    // Here and below without spreading: planning a tile reads these objects hundreds of times.
    const band = { kind, box: bandBox, blocks, first: next, magnitudeBits, step };
    next += blocks.columns * blocks.rows;
    return band;
  });
  const { width: precinctWidth, height: precinctHeight } = sides;
  const blocks = next - first;
  return {
    component,
    level,
    box,
    precincts,
    precinctWidth,
    precinctHeight,
    blockWidth,
    blockHeight,
    bands,
    first,
    blocks,
  };
};

const lowest = [0] as const;
const others = [1, 2, 3] as const;

/** B-15. */
const boxOfBand = ({ x0, y0, x1, y1 }: GridBox, levels: number, kind: Band["kind"]): GridBox => {
  const side = (value: number, high: number): number =>
    Math.ceil((value - 2 ** (levels - 1) * high) / 2 ** levels);
  const [across, down] = [kind & 1, kind >> 1];
  return { x0: side(x0, across), y0: side(y0, down), x1: side(x1, across), y1: side(y1, down) };
};

/** E-2 to E-5. */
const quantizer = (
  { coding, quantization, shift }: ComponentParameters,
  { level, kind, precision }: Pick<ComponentGrid, "level" | "precision"> & Pick<Band, "kind">,
): Pick<Band, "magnitudeBits" | "step"> => {
  const { exponent, mantissa } = stepOf(
    quantization,
    level === 0 ? 0 : 3 * level - 3 + kind,
    level,
  );
  const magnitudeBits = Math.max(0, quantization.guardBits + exponent - 1 + shift);
  if (coding.reversible) return { magnitudeBits, step: 1 };
  const gain = kind === 0 ? 0 : kind === 3 ? 2 : 1;
  return { magnitudeBits, step: 2 ** (precision + gain - exponent) * (1 + mantissa / 2_048) };
};

const stepOf = ({ style, steps }: Quantization, band: number, level: number) => {
  if (style !== "derived") return steps[band] ?? damaged("a quantizer's step for every band");
  const { exponent, mantissa } = steps[0] ?? damaged("a quantizer's step");
  return { exponent: Math.max(0, exponent - Math.max(0, level - 1)), mantissa };
};
