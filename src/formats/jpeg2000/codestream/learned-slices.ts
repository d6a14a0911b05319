import { KeptSlices, withNeighbours } from "./cached-slices.ts";
import type { Resolution } from "./grid.ts";
import { type KnownBlocks, KnownSlices } from "./known-blocks.ts";
import { allSlices, type Learned, readPrecinct, type TileRequest } from "./learning.ts";
import type { OpenPrecinct } from "./open-precinct.ts";
import {
  isIn,
  type PrecinctShape,
  type PrecinctsWanted,
  precinctsIn,
  shapeOf,
} from "./precincts.ts";
import { type Slice, slicesOf, slicesWith } from "./slices.ts";

/** Facts about a tile of which only the most recently used slices of its precincts are cached. */
export class LearnedSlices implements Learned {
  readonly #slices: KeptSlices;
  readonly #isSmall: boolean;

  /** With room for so many bytes; `isSmall` where there is room for all blocks. */
  constructor(max: () => number, { isSmall }: { readonly isSmall: boolean }) {
    this.#slices = new KeptSlices(max);
    this.#isSmall = isSmall;
  }

  get bytes(): number {
    return this.#slices.bytes;
  }

  slicesToKeep(
    shape: PrecinctShape,
    precinct: number,
    wanted: PrecinctsWanted | undefined,
  ): readonly number[] {
    const slices = slicesOf(shape);
    if (this.#isSmall) return allSlices(slices);
    if (wanted === undefined || !isIn(wanted.resolution, precinct, wanted.cells)) return [];
    return withNeighbours(slicesWith(shape, slices, wanted.blocks), slices);
  }

  keep(resolution: Resolution, precinct: number, read: OpenPrecinct): void {
    this.#slices.keep(resolution, precinct, read.finish());
  }

  async gather(wanted: TileRequest): Promise<KnownBlocks | undefined> {
    const found = new KnownSlices();
    for (const one of wanted.precincts)
      for (const precinct of precinctsIn(one.resolution, one.cells)) {
        if (wanted.workBudget.isDue(1)) await wanted.workBudget.rest();
        const shape = shapeOf(one.resolution, precinct);
        const known = await this.#slicesOf(one, precinct, shape, wanted);
        if (known === undefined) return undefined;
        found.add(one, precinct, shape, known);
      }
    return found;
  }

  clear(): void {
    this.#slices.clear();
  }

  /** The requested slices of a precinct. */
  async #slicesOf(
    { resolution, blocks }: PrecinctsWanted,
    precinct: number,
    shape: PrecinctShape,
    wanted: TileRequest,
  ): Promise<ReadonlyMap<number, Slice> | undefined> {
    const slices = slicesOf(shape);
    const numbers = slicesWith(shape, slices, blocks);
    const known = this.#slices.find(resolution, precinct, { numbers, layers: wanted.layers });
    const unknown = numbers.filter((number) => !known.has(number));
    if (unknown.length === 0) return known;
    const keep = withNeighbours(unknown, slices);
    const read = await readPrecinct({ resolution, precinct, shape }, keep, wanted);
    const slicesRead = read?.finish();
    if (slicesRead === undefined) return undefined;
    for (const [slice, own] of slicesRead) known.set(slice, own);
    this.#slices.keep(resolution, precinct, slicesRead);
    return known;
  }
}
