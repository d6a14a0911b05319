import type { Resolution, TileGrid } from "./grid.ts";
import type { BandOfPrecinct } from "./precincts.ts";
import { styles } from "./segments.ts";
import type { StoredBlock } from "./slice-rows.ts";

/** What is known of a block. */
export const factsOf = { unknown: 0, nothing: 1, stored: 2 } as const;

/**
 * The stored data of a resolution's blocks, by number relative to its first block: one piece each,
 * or two of which the second follows the first.
 */
export class ResolutionFacts {
  /** One of `factsOf`. */
  readonly states: Uint8Array;
  /** Number of zero bit planes. */
  readonly missing: Uint8Array;
  /** Offset of the first piece among the bytes of the tile. */
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
  /** Coding passes of the first piece. */
  readonly passes: Uint8Array;
  /** Of the second piece; absent where no block has one. */
  moreLengths: Uint32Array | undefined;
  morePasses: Uint8Array | undefined;

  /** Of so many blocks. */
  constructor(blocks: number) {
    this.states = new Uint8Array(blocks);
    this.missing = new Uint8Array(blocks);
    this.offsets = new Uint32Array(blocks);
    this.lengths = new Uint32Array(blocks);
    this.passes = new Uint8Array(blocks);
  }

  get bytes(): number {
    return this.states.length * (this.moreLengths === undefined ? bytesPerBlock : maxBytesPerBlock);
  }

  /** Adds a piece after those that the block has. */
  add(block: number, offset: number, length: number, passes: number): void {
    if (this.states[block] !== factsOf.stored) {
      this.states[block] = factsOf.stored;
      this.offsets[block] = offset;
      this.lengths[block] = length;
      this.passes[block] = passes;
      return;
    }
    this.moreLengths ??= new Uint32Array(this.states.length);
    this.morePasses ??= new Uint8Array(this.states.length);
    this.moreLengths[block] = (this.moreLengths[block] ?? 0) + length;
    // Of an HT block everything after the first pass is one segment (Rec. ITU-T T.814, 7.1).
    this.morePasses[block] = Math.min(255, (this.morePasses[block] ?? 0) + passes);
  }

  /** Marks a half-open range of blocks as empty, whatever was known of them. */
  empty(from: number, to: number): void {
    this.states.fill(factsOf.nothing, from, to);
    this.moreLengths?.fill(0, from, to);
    this.morePasses?.fill(0, from, to);
  }

  of(block: number): StoredBlock {
    if (this.states[block] !== factsOf.stored) return nothing;
    const offset = this.offsets[block] ?? 0;
    const length = this.lengths[block] ?? 0;
    const pieces = [{ offset, length, passes: this.passes[block] ?? 0, layer: 0 }];
    const passes = this.morePasses?.[block] ?? 0;
    if (passes > 0)
      pieces.push({
        offset: offset + length,
        length: this.moreLengths?.[block] ?? 0,
        passes,
        layer: 0,
      });
    return { missing: this.missing[block] ?? 0, pieces };
  }
}

const nothing: StoredBlock = { missing: 0, pieces: [] };
const bytesPerBlock = 11;
/** With a second piece. */
const maxBytesPerBlock = 16;

/** The stored data of the blocks of a tile with one layer, whose packets need not be read again. */
export class BlockFacts {
  readonly #resolutions = new Map<Resolution, ResolutionFacts>();
  #bytes = 0;

  /** Its memory in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  of(resolution: Resolution): ResolutionFacts {
    let own = this.#resolutions.get(resolution);
    if (own === undefined) {
      own = new ResolutionFacts(resolution.blocks);
      this.#resolutions.set(resolution, own);
      this.#bytes += own.bytes;
    }
    return own;
  }

  /** Whether a precinct with these bands was read. */
  isKnown(resolution: Resolution, [band]: readonly BandOfPrecinct[]): boolean {
    if (band === undefined) return true;
    return this.of(resolution).states[firstIn(resolution, band, 0)] !== factsOf.unknown;
  }

  /**
   * Records a precinct: for each of its bands, the zero bit planes of each of its blocks, and the
   * pieces of its blocks in lists, five numbers of each (see `PiecesRead`). Replaces earlier
   * records of it.
   */
  note(
    resolution: Resolution,
    bands: readonly BandOfPrecinct[],
    missing: Uint8Array | undefined,
    lists: Iterable<readonly number[]>,
  ): void {
    const facts = this.of(resolution);
    const before = facts.bytes;
    for (const band of bands)
      for (let row = 0; row < band.rows; row++) {
        const from = firstIn(resolution, band, row);
        facts.empty(from, from + band.columns);
      }
    for (const pieces of lists)
      for (let at = 0; at < pieces.length; at += 5) {
        const block = pieces[at] ?? 0;
        const own = bands.findLast(({ first }) => block >= first);
        if (own === undefined) continue;
        const place = block - own.first;
        const column = place % own.columns;
        const number = firstIn(resolution, own, (place - column) / own.columns) + column;
        facts.missing[number] = missing?.[block] ?? 0;
        facts.add(number, pieces[at + 1] ?? 0, pieces[at + 2] ?? 0, pieces[at + 3] ?? 0);
      }
    this.#bytes += facts.bytes - before;
  }

  clear(): void {
    this.#resolutions.clear();
    this.#bytes = 0;
  }
}

/** The number in the resolution of the first block in a row of a precinct's band. */
const firstIn = (resolution: Resolution, { band, x, y }: BandOfPrecinct, row: number): number => {
  const own = resolution.bands[band];
  if (own === undefined) return 0;
  const { blocks, first } = own;
  return first - resolution.first + (y + row - blocks.y) * blocks.columns + x - blocks.x;
};

/**
 * Whether the data of all blocks of a tile fits into `BlockFacts`: one layer, few pieces, and not
 * too many blocks.
 */
export const areFactsFew = (
  { components, blocks }: TileGrid,
  { layers, bytes }: { readonly layers: number; readonly bytes: number },
  max: number,
): boolean =>
  layers === 1 &&
  bytes < 2 ** 32 &&
  blocks * maxBytesPerBlock <= max &&
  components.every(({ parameters: { coding } }) => (coding.style & severalPieces) === 0);

/** Styles of blocks whose passes are in several segments, or of two kinds. */
const severalPieces = styles.bypass | styles.terminateAll | styles.mixed;
