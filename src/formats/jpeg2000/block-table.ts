import { damaged } from "./fields.ts";
import type { Resolution } from "./grid.ts";

/** What packet headers say of the blocks of one resolution; places are those of the block less `first`. */
export class BlockTable {
  /** Bit planes that are all zero. */
  readonly missing: Uint8Array;
  /** Lblock less 3, with which it begins (B.10.7.1). */
  readonly lengthBits: Uint8Array;
  /** How many coding passes came so far; 0 where the block was in no packet. */
  readonly passes: Uint8Array;
  /** The first and last of the block's pieces, counted from 1; 0 for none. */
  readonly firstPiece: Int32Array;
  readonly lastPiece: Int32Array;

  constructor({ blocks }: Resolution) {
    this.missing = new Uint8Array(blocks);
    this.lengthBits = new Uint8Array(blocks);
    this.passes = new Uint8Array(blocks);
    this.firstPiece = new Int32Array(blocks);
    this.lastPiece = new Int32Array(blocks);
  }
}

/** In memory, of each block. */
export const tableBytesPerBlock = 11;

/** What a packet has of a block, within one segment. */
export interface Piece {
  /** Among the bytes of all parts of the tile. */
  readonly offset: number;
  readonly length: number;
  readonly passes: number;
  readonly layer: number;
}

/** All pieces of a tile's blocks, chained block by block. */
export class Pieces {
  #count = 0;
  #offsets = new Float64Array(64);
  #lengths = new Uint32Array(64);
  #passes = new Uint8Array(64);
  #layers = new Uint16Array(64);
  #next = new Int32Array(64);

  /** What they take in memory. */
  get bytes(): number {
    return this.#offsets.length * 19;
  }

  /** Adds a piece to a block's. */
  add(table: BlockTable, block: number, piece: Piece): void {
    const at = this.#count;
    if (at === this.#offsets.length) this.#grow();
    this.#offsets[at] = piece.offset;
    this.#lengths[at] = piece.length;
    this.#passes[at] = piece.passes;
    this.#layers[at] = piece.layer;
    this.#next[at] = 0;
    this.#count++;
    const last = table.lastPiece[block] ?? 0;
    if (last === 0) table.firstPiece[block] = this.#count;
    else this.#next[last - 1] = this.#count;
    table.lastPiece[block] = this.#count;
  }

  /** The pieces of a block in the layers before `layers`, in the order of its passes. */
  of(table: BlockTable, block: number, layers: number): Piece[] {
    const pieces: Piece[] = [];
    for (let next = table.firstPiece[block] ?? 0; next > 0; next = this.#next[next - 1] ?? 0) {
      const at = next - 1;
      const layer = this.#layers[at] ?? 0;
      if (layer >= layers) break;
      const offset = this.#offsets[at] ?? 0;
      pieces.push({ offset, length: this.#lengths[at] ?? 0, passes: this.#passes[at] ?? 0, layer });
    }
    return pieces;
  }

  clear(): void {
    this.#count = 0;
  }

  #grow(): void {
    const size = this.#offsets.length * 2;
    if (size > mostPieces) damaged(`at most ${mostPieces} pieces of blocks in a tile`);
    this.#offsets = grown(this.#offsets, new Float64Array(size));
    this.#lengths = grown(this.#lengths, new Uint32Array(size));
    this.#passes = grown(this.#passes, new Uint8Array(size));
    this.#layers = grown(this.#layers, new Uint16Array(size));
    this.#next = grown(this.#next, new Int32Array(size));
  }
}

const mostPieces = 2 ** 24;

const grown = <T extends { set(from: T): void }>(from: T, to: T): T => {
  to.set(from);
  return to;
};
