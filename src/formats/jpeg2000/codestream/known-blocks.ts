import type { BlockFacts } from "./block-facts.ts";
import type { Cells, Resolution } from "./grid.ts";
import {
  type BandOfPrecinct,
  lessInBands,
  type PrecinctShape,
  type PrecinctsWanted,
} from "./precincts.ts";
import { type OpenSlice, type Slice, type StoredBlock, sliceAt, slicesOf } from "./slices.ts";

/**
 * Where a block is: of which band of its resolution, and its place in cells of that band's grid.
 */
export interface BlockPlace {
  readonly resolution: Resolution;
  /** Which of the resolution's bands. */
  readonly band: number;
  readonly column: number;
  readonly row: number;
}

interface KnownPrecinct {
  readonly shape: PrecinctShape;
  readonly slices: number;
  readonly known: ReadonlyMap<number, OpenSlice>;
  /** Of each band, the blocks that are wanted. */
  readonly wanted: readonly (Cells | undefined)[];
  /** Rows that were asked for, by the number of their first block in the precinct. */
  readonly rows: Map<number, readonly StoredBlock[]>;
}

/**
 * The blocks that were asked for, as long as they are needed, whatever else is forgotten meanwhile.
 */
export interface KnownBlocks {
  /** What is stored of a block in the first layers: nothing where the file ends before it. */
  of(place: BlockPlace, layers: number): StoredBlock;
}

/** Blocks of whose tile all that was learned is in memory. */
export class KnownFacts implements KnownBlocks {
  readonly #facts: BlockFacts;

  constructor(facts: BlockFacts) {
    this.#facts = facts;
  }

  of({ resolution, band, column, row }: BlockPlace): StoredBlock {
    const own = resolution.bands[band];
    if (own === undefined) return nothing;
    const { blocks, first } = own;
    const number = first + (row - blocks.y) * blocks.columns + column - blocks.x;
    return this.#facts.of(resolution).of(number - resolution.first);
  }
}

/** Blocks of slices that were read. */
export class KnownSlices implements KnownBlocks {
  readonly #precincts = new Map<Resolution, Map<number, KnownPrecinct>>();

  /**
   * Adds slices of a precinct, by their numbers; of its blocks, those that are wanted can be asked
   * for.
   */
  add(
    { resolution, blocks }: PrecinctsWanted,
    precinct: number,
    shape: PrecinctShape,
    known: ReadonlyMap<number, Slice>,
  ): void {
    let own = this.#precincts.get(resolution);
    if (own === undefined) {
      own = new Map();
      this.#precincts.set(resolution, own);
    }
    const open = new Map<number, OpenSlice>();
    for (const [number, slice] of known) open.set(number, slice.open());
    const slices = slicesOf(shape);
    own.set(precinct, { shape, slices, known: open, wanted: blocks, rows: new Map() });
  }

  /** What is stored of a block in the first layers: nothing where the file ends before it. */
  of({ resolution, band, column, row }: BlockPlace, layers: number): StoredBlock {
    const { precincts, precinctWidth, precinctHeight, blockWidth, blockHeight } = resolution;
    const less = lessInBands(resolution);
    const x = (column >> (precinctWidth - less - blockWidth)) - precincts.x;
    const y = (row >> (precinctHeight - less - blockHeight)) - precincts.y;
    const own = this.#precincts.get(resolution)?.get(y * precincts.columns + x);
    const shape = own?.shape.bands.find((one) => one.band === band);
    if (own === undefined || shape === undefined) return nothing;
    const first = Math.max(shape.x, own.wanted[band]?.x ?? 0);
    const block = this.#rowOf(own, shape, row)[column - first] ?? nothing;
    if ((block.pieces.at(-1)?.layer ?? 0) < layers) return block;
    const end = block.pieces.findIndex(({ layer }) => layer >= layers);
    return end < 0 ? block : { ...block, pieces: block.pieces.slice(0, end) };
  }

  #rowOf(own: KnownPrecinct, shape: BandOfPrecinct, row: number): readonly StoredBlock[] {
    const name = shape.first + (row - shape.y) * shape.columns;
    let blocks = own.rows.get(name);
    if (blocks === undefined) {
      const slice = own.known.get(sliceAt(shape, row - shape.y, own.slices));
      const cells = own.wanted[shape.band];
      blocks = (cells && slice?.rowAt(shape.band, row, [cells.x, cells.x + cells.columns])) ?? [];
      own.rows.set(name, blocks);
    }
    return blocks;
  }
}

const nothing: StoredBlock = { missing: 0, pieces: [] };
