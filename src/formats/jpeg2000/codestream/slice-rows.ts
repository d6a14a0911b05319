import type { Piece } from "./block-table.ts";
import type { PackedReader, PackedWriter } from "./packed-numbers.ts";

/** The stored data of a block. */
export interface StoredBlock {
  /** Number of zero bit planes. */
  readonly missing: number;
  /** In the order of its passes. */
  readonly pieces: readonly Piece[];
}

/** Number of values per piece of a block: offset in the tile, length, passes and layer. */
const fields = 4;

/**
 * Writes a row of a slice, given the pieces of each block, `fields` values each.
 *
 * A row contains the number of layers with any of its data, which ones, and their offsets in the
 * tile; then the blocks: the number of pieces, zero bit planes, and each piece's layer (where there
 * are several), passes and length. A layer's data for a row's blocks is contiguous, so offsets
 * follow from lengths.
 */
export const writeRow = (
  target: PackedWriter,
  blocks: readonly (readonly number[])[],
  missingOf: (column: number) => number,
): void => {
  const starts = startsOf(blocks);
  const layers = [...starts.keys()].sort((one, other) => one - other);
  const places = new Map(layers.map((layer, place) => [layer, place] as const));
  target.number(layers.length);
  for (const layer of layers) {
    target.number(layer);
    target.number(starts.get(layer) ?? 0);
  }
  for (const [column, own] of blocks.entries()) {
    target.number(own.length / fields);
    if (own.length > 0) target.number(missingOf(column));
    writePieces(target, own, layers.length > 1 ? places : undefined);
  }
};

/** The offset in the tile of each layer's data for a row's blocks. */
const startsOf = (blocks: readonly (readonly number[])[]): ReadonlyMap<number, number> => {
  const starts = new Map<number, number>();
  for (const own of blocks)
    for (let at = 0; at < own.length; at += fields) {
      const layer = own[at + 3] ?? 0;
      if (!starts.has(layer)) starts.set(layer, own[at] ?? 0);
    }
  return starts;
};

const writePieces = (
  target: PackedWriter,
  own: readonly number[],
  places: ReadonlyMap<number, number> | undefined,
): void => {
  for (let at = 0; at < own.length; at += fields) {
    if (places !== undefined) target.number(places.get(own[at + 3] ?? 0) ?? 0);
    target.number(own[at + 2] ?? 0);
    target.number(own[at + 1] ?? 0);
  }
};

/** A half-open range of a row's blocks, counted from its first. */
export const readRow = (source: PackedReader, from: number, to: number): StoredBlock[] => {
  const layers: number[] = [];
  const next: number[] = [];
  for (let left = source.number(); left > 0; left--) {
    layers.push(source.number());
    next.push(source.number());
  }
  for (let column = 0; column < from; column++) skipBlock(source, next);
  const blocks: StoredBlock[] = [];
  for (let column = from; column < to; column++) {
    const number = source.number();
    blocks.push(number === 0 ? nothing : readBlock(source, number, layers, next));
  }
  return blocks;
};

/** Skips a row of so many blocks. */
export const skipRow = (source: PackedReader, columns: number): void => {
  const next: number[] = [];
  for (let left = source.number(); left > 0; left--) {
    source.number();
    next.push(source.number());
  }
  for (let column = 0; column < columns; column++) skipBlock(source, next);
};

/** Skips a block; each layer's offset then points to the next one. */
const skipBlock = (source: PackedReader, next: number[]): void => {
  const number = source.number();
  if (number === 0) return;
  source.number();
  for (let piece = 0; piece < number; piece++) {
    const place = next.length > 1 ? source.number() : 0;
    source.number();
    next[place] = (next[place] ?? 0) + source.number();
  }
};

const nothing: StoredBlock = { missing: 0, pieces: [] };

const readBlock = (
  source: PackedReader,
  number: number,
  layers: readonly number[],
  next: number[],
): StoredBlock => {
  const missing = source.number();
  const pieces: Piece[] = [];
  for (let piece = 0; piece < number; piece++) {
    const place = layers.length > 1 ? source.number() : 0;
    const passes = source.number();
    const length = source.number();
    const offset = next[place] ?? 0;
    next[place] = offset + length;
    pieces.push({ offset, length, passes, layer: layers[place] ?? 0 });
  }
  return { missing, pieces };
};
