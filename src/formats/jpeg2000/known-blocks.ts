import type { Resolution } from "./grid.ts";
import { type BandOfPrecinct, lessInBands, type PrecinctShape } from "./precincts.ts";
import { type Slice, type StoredBlock, sliceAt, slicesOf } from "./slices.ts";

/** Where a block is: of which band of its resolution, and its place in cells of that band's grid. */
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
  readonly known: ReadonlyMap<number, Slice>;
  /** Rows that were asked for, by the number of their first block in the precinct. */
  readonly rows: Map<number, readonly StoredBlock[]>;
}

/** The blocks that were asked for, as long as they are needed, whatever else is forgotten meanwhile. */
export class KnownBlocks {
  readonly #precincts = new Map<Resolution, Map<number, KnownPrecinct>>();

  /** Adds slices of a precinct, by their numbers. */
  add(
    resolution: Resolution,
    precinct: number,
    shape: PrecinctShape,
    known: ReadonlyMap<number, Slice>,
  ): void {
    let own = this.#precincts.get(resolution);
    if (own === undefined) {
      own = new Map();
      this.#precincts.set(resolution, own);
    }
    own.set(precinct, { shape, slices: slicesOf(shape), known, rows: new Map() });
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
    const block = this.#rowOf(own, shape, row)[column - shape.x] ?? nothing;
    const end = block.pieces.findIndex(({ layer }) => layer >= layers);
    return end < 0 ? block : { ...block, pieces: block.pieces.slice(0, end) };
  }

  #rowOf(own: KnownPrecinct, shape: BandOfPrecinct, row: number): readonly StoredBlock[] {
    const name = shape.first + (row - shape.y) * shape.columns;
    let blocks = own.rows.get(name);
    if (blocks === undefined) {
      const slice = own.known.get(sliceAt(shape, row - shape.y, own.slices));
      blocks = slice?.rowAt(shape.band, row) ?? [];
      own.rows.set(name, blocks);
    }
    return blocks;
  }
}

const nothing: StoredBlock = { missing: 0, pieces: [] };
