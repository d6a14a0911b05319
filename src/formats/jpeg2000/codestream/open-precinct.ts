import { BlockTable } from "./block-table.ts";
import type { PacketRead } from "./packet-header.ts";
import { type BandTrees, type PrecinctShape, treesOf } from "./precincts.ts";
import { type PiecesRead, Slice, sliceAt, slicesOf } from "./slices.ts";
import type { TreeShapes } from "./tag-tree.ts";

/** The state of a precinct between two layers. */
export class OpenPrecinct {
  readonly shape: PrecinctShape;
  readonly slices: number;
  /** Number of layers read. */
  layers = 0;
  readonly #kept: ReadonlyMap<number, PiecesRead>;
  #state: { readonly trees: readonly BandTrees[]; readonly table: BlockTable } | undefined;

  /** The pieces of slices that `keep` names are stored. */
  constructor(shape: PrecinctShape, keep: readonly number[]) {
    this.shape = shape;
    this.slices = slicesOf(shape);
    this.#kept = new Map(keep.map((slice) => [slice, []]));
  }

  /** Approximate memory. */
  get bytes(): number {
    let pieces = 0;
    for (const { length } of this.#kept.values()) pieces += length * 8;
    return ownBytes + (this.#state === undefined ? 0 : this.shape.blocks * bytesPerBlock) + pieces;
  }

  /** The state of its blocks, created by the first non-empty packet. */
  state(shapes: TreeShapes): { readonly trees: readonly BandTrees[]; readonly table: BlockTable } {
    this.#state ??= {
      trees: treesOf(this.shape, shapes),
      table: new BlockTable(this.shape.blocks),
    };
    return this.#state;
  }

  /**
   * Adds the content of a packet, whose bytes begin at `offset` among the tile's; returns their
   * end.
   */
  take({ contributions }: PacketRead, layer: number, offset: number): number {
    let at = offset;
    for (const { block, passes, length } of contributions) {
      this.#kept.get(this.#sliceOf(block))?.push(block, at, length, passes, layer);
      at += length;
    }
    this.layers = layer + 1;
    return at;
  }

  /** Number of zero bit planes of each block; undefined where none was read. */
  get missing(): Uint8Array | undefined {
    return this.#state?.table.missing;
  }

  /** The pieces of all blocks whose slices were stored. */
  *pieces(): Generator<PiecesRead> {
    yield* this.#kept.values();
  }

  /** The stored slices, by number. */
  finish(): Map<number, Slice> {
    const { shape, slices, layers } = this;
    const made = new Map<number, Slice>();
    for (const [slice, pieces] of this.#kept) {
      const place = { slice, slices };
      made.set(slice, new Slice(shape, place, this.#state?.table, { pieces, layers }));
    }
    return made;
  }

  #sliceOf(block: number): number {
    if (this.slices === 1) return 0;
    const { bands } = this.shape;
    const own = bands.findLast(({ first }) => block >= first);
    if (own === undefined) return 0;
    return sliceAt(own, Math.floor((block - own.first) / own.columns), this.slices);
  }
}

const ownBytes = 700;
/** Memory per block: two trees of 1⅓ nodes of 32 bits, and three bytes of the table. */
const bytesPerBlock = 14;
