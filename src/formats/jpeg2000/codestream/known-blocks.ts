import type { BlockFacts } from "./block-facts.ts";
import type { Cells, Resolution } from "./grid.ts";
import {
  type BandOfPrecinct,
  bandExponentOffset,
  type PrecinctShape,
  type PrecinctsWanted,
} from "./precincts.ts";
import type { StoredBlock } from "./slice-rows.ts";
import { type OpenSlice, type Slice, sliceAt, slicesOf } from "./slices.ts";

/** The position of a block: its resolution's band, and its place in cells of that band's grid. */
export interface BlockPlace {
  readonly resolution: Resolution;
  /** Index of the resolution's band. */
  readonly band: number;
  readonly column: number;
  readonly row: number;
}

interface KnownPrecinct {
  readonly shape: PrecinctShape;
  readonly slices: number;
  readonly known: ReadonlyMap<number, OpenSlice>;
  /** The requested blocks of each band. */
  readonly wanted: readonly (Cells | undefined)[];
  /** Requested rows, by the number of their first block in the precinct. */
  readonly rows: Map<number, readonly StoredBlock[]>;
}

/** The requested blocks, retained while they are needed, whatever the caches evict meanwhile. */
export interface KnownBlocks {
  /** The stored data of a block in the first layers: none where the file ends before it. */
  of(place: BlockPlace, layers: number): StoredBlock;
}

/** Blocks of a tile whose facts are all in memory. */
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

  /** Adds slices of a precinct, by number; provides the requested ones of its blocks. */
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

  /** The stored data of a block in the first layers: none where the file ends before it. */
  of({ resolution, band, column, row }: BlockPlace, layers: number): StoredBlock {
    const { precincts, precinctWidth, precinctHeight, blockWidth, blockHeight } = resolution;
    const less = bandExponentOffset(resolution);
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
