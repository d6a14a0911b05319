import type { BlockTable } from "./block-table.ts";
import type { Cells } from "./grid.ts";
import { PackedReader, PackedWriter } from "./packed-numbers.ts";
import type { BandOfPrecinct, PrecinctShape } from "./precincts.ts";
import { readRow, type StoredBlock, skipRow, writeRow } from "./slice-rows.ts";

/** Maximum number of blocks of a band in a slice, except for a single longer row. */
const maxBlocks = 1_365;

/**
 * Number of slices of a precinct, each with the same share of the rows of all its bands: of a
 * precinct as large as the image, only requested ones are cached.
 */
export const slicesOf = ({ bands }: PrecinctShape): number =>
  bands.reduce(
    (max, { columns, rows }) =>
      Math.max(max, Math.min(rows, Math.ceil((columns * rows) / maxBlocks))),
    1,
  );

/** The slice of a row of a band. */
export const sliceAt = ({ rows }: BandOfPrecinct, row: number, slices: number): number =>
  Math.ceil(((row + 1) * slices) / rows) - 1;

const rowAt = (rows: number, slice: number, slices: number): number =>
  Math.floor((rows * slice) / slices);

/** The slices of the requested blocks of each band, in order. */
export const slicesWith = (
  { bands }: PrecinctShape,
  slices: number,
  wanted: readonly (Cells | undefined)[],
): number[] => {
  let [from, to] = [slices, -1];
  for (const own of bands) {
    const cells = wanted[own.band];
    if (cells === undefined) continue;
    const top = Math.max(0, cells.y - own.y);
    const bottom = Math.min(own.rows, cells.y + cells.rows - own.y) - 1;
    if (bottom < top) continue;
    from = Math.min(from, sliceAt(own, top, slices));
    to = Math.max(to, sliceAt(own, bottom, slices));
  }
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
};

/**
 * Pieces of the blocks of a slice, in order of arrival: block (in the precinct), offset, length,
 * passes and layer of each.
 */
export type PiecesRead = number[];

/** Number of values per piece. */
const fields = 5;

/** The rows of a slice in its precinct. */
interface BandOfSlice extends BandOfPrecinct {
  /** Number of rows of other bands before it. */
  readonly before: number;
  /** The number in the precinct of the first block. */
  readonly from: number;
}

/**
 * The stored data of a slice's blocks, in their first layers; packed, since there may be very many.
 */
export class Slice {
  /** Number of layers read. */
  readonly layers: number;
  readonly #shape: PrecinctShape;
  readonly #place: SlicePlace;
  readonly #data: Uint8Array;
  /** The offset of each row, band after band; absent for few rows, which are scanned. */
  readonly #rows: Uint32Array | undefined;

  constructor(
    shape: PrecinctShape,
    place: SlicePlace,
    table: BlockTable | undefined,
    read: { readonly pieces: PiecesRead; readonly layers: number },
  ) {
    this.layers = read.layers;
    this.#shape = shape;
    this.#place = place;
    const byBlock = sorted(read.pieces);
    const target = new PackedWriter();
    const starts: number[] = [];
    for (const { from, columns, rows } of bandsIn(shape, place))
      for (let row = 0; row < rows; row++) {
        starts.push(target.length);
        const blocks = Array.from(
          { length: columns },
          (_, column) => from + row * columns + column,
        );
        const lists = blocks.map((block) => byBlock.get(block) ?? none);
        writeRow(target, lists, (column) => table?.missing[blocks[column] ?? 0] ?? 0);
      }
    this.#data = target.bytes();
    this.#rows = starts.length > fewRows ? Uint32Array.from(starts) : undefined;
  }

  /** Approximate memory. */
  get bytes(): number {
    return ownBytes + this.#data.length + (this.#rows?.byteLength ?? 0);
  }

  /** Begins to decode its rows. */
  open(): OpenSlice {
    const bands = bandsIn(this.#shape, this.#place);
    return new OpenSlice(bands, this.#data, this.#rows ?? startsIn(bands, this.#data));
  }
}

/** A slice whose rows are decoded one by one. */
export class OpenSlice {
  readonly #bands: readonly BandOfSlice[];
  readonly #source: PackedReader;
  readonly #starts: ArrayLike<number>;

  constructor(bands: readonly BandOfSlice[], data: Uint8Array, starts: ArrayLike<number>) {
    this.#bands = bands;
    this.#source = new PackedReader(data);
    this.#starts = starts;
  }

  /**
   * The blocks in a half-open range of columns of a band's row; the row and the columns are in
   * cells of the band's grid.
   */
  rowAt(band: number, row: number, [from, to]: readonly [number, number]): readonly StoredBlock[] {
    for (const own of this.#bands) {
      if (own.band !== band) continue;
      this.#source.at = this.#starts[own.before + row - own.y] ?? 0;
      return readRow(this.#source, Math.max(0, from - own.x), Math.min(own.columns, to - own.x));
    }
    return [];
  }
}

/** The offset of each row. */
const startsIn = (bands: readonly BandOfSlice[], data: Uint8Array): number[] => {
  const source = new PackedReader(data);
  const starts: number[] = [];
  for (const { columns, rows } of bands)
    for (let row = 0; row < rows; row++) {
      starts.push(source.at);
      skipRow(source, columns);
    }
  return starts;
};

/** Index of the slice, and number of slices. */
interface SlicePlace {
  readonly slice: number;
  readonly slices: number;
}

const none: readonly number[] = [];
/** Below this number of rows, offsets are found by scanning. */
const fewRows = 12;
/** Overhead of the object itself, its entry in a map and its name. */
const ownBytes = 420;

const bandsIn = ({ bands }: PrecinctShape, { slice, slices }: SlicePlace): BandOfSlice[] => {
  let before = 0;
  return bands.map((band) => {
    const top = rowAt(band.rows, slice, slices);
    const rows = rowAt(band.rows, slice + 1, slices) - top;
    const own = { ...band, y: band.y + top, rows, before, from: band.first + top * band.columns };
    before += rows;
    return own;
  });
};

/** The pieces of each block, in order of arrival: offset, length, passes and layer of each. */
const sorted = (pieces: PiecesRead): ReadonlyMap<number, readonly number[]> => {
  const all = new Map<number, number[]>();
  for (let at = 0; at < pieces.length; at += fields) {
    const block = pieces[at] ?? 0;
    let own = all.get(block);
    if (own === undefined) {
      own = [];
      all.set(block, own);
    }
    for (let field = 1; field < fields; field++) own.push(pieces[at + field] ?? 0);
  }
  return all;
};
