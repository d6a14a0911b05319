/** The content of packet headers about the blocks of a precinct so far, by number in it. */
export class BlockTable {
  /** Number of zero bit planes. */
  readonly missing: Uint8Array;
  /** Lblock minus its initial value 3 (B.10.7.1). */
  readonly lengthBits: Uint8Array;
  /** Number of coding passes so far; 0 where the block was in no packet. */
  readonly passes: Uint8Array;

  constructor(blocks: number) {
    this.missing = new Uint8Array(blocks);
    this.lengthBits = new Uint8Array(blocks);
    this.passes = new Uint8Array(blocks);
  }
}

/** A packet's contribution to a block, within one segment. */
export interface Piece {
  /** Offset among the bytes of all parts of the tile. */
  readonly offset: number;
  readonly length: number;
  readonly passes: number;
  readonly layer: number;
}
