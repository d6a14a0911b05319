/** What packet headers said of the blocks of a precinct so far, by their numbers in it. */
export class BlockTable {
  /** Bit planes that are all zero. */
  readonly missing: Uint8Array;
  /** Lblock less 3, with which it begins (B.10.7.1). */
  readonly lengthBits: Uint8Array;
  /** How many coding passes came so far; 0 where the block was in no packet. */
  readonly passes: Uint8Array;

  constructor(blocks: number) {
    this.missing = new Uint8Array(blocks);
    this.lengthBits = new Uint8Array(blocks);
    this.passes = new Uint8Array(blocks);
  }
}

/** What a packet has of a block, within one segment. */
export interface Piece {
  /** Among the bytes of all parts of the tile. */
  readonly offset: number;
  readonly length: number;
  readonly passes: number;
  readonly layer: number;
}
