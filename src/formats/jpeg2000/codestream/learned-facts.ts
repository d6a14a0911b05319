import type { BlockFacts } from "./block-facts.ts";
import type { Resolution } from "./grid.ts";
import { type KnownBlocks, KnownFacts } from "./known-blocks.ts";
import { allSlices, type Learned, readPrecinct, type TileRequest } from "./learning.ts";
import type { OpenPrecinct } from "./open-precinct.ts";
import { type PrecinctShape, precinctsIn, shapeOf } from "./precincts.ts";
import { slicesOf } from "./slices.ts";

/** Facts about a tile all of whose blocks may be in memory at once. */
export class LearnedFacts implements Learned {
  readonly #facts: BlockFacts;

  /** Goes into `facts`. */
  constructor(facts: BlockFacts) {
    this.#facts = facts;
  }

  get bytes(): number {
    return this.#facts.bytes;
  }

  slicesToKeep(shape: PrecinctShape): readonly number[] {
    return allSlices(slicesOf(shape));
  }

  keep(resolution: Resolution, _precinct: number, read: OpenPrecinct): void {
    this.#facts.note(resolution, read.shape.bands, read.missing, read.pieces());
  }

  async gather(wanted: TileRequest): Promise<KnownBlocks | undefined> {
    for (const { resolution, cells } of wanted.precincts)
      for (const precinct of precinctsIn(resolution, cells)) {
        if (wanted.workBudget.isDue(1)) await wanted.workBudget.rest();
        const shape = shapeOf(resolution, precinct);
        if (this.#facts.isKnown(resolution, shape.bands)) continue;
        const one = { resolution, precinct, shape };
        const read = await readPrecinct(one, this.slicesToKeep(shape), wanted);
        if (read === undefined) return undefined;
        this.keep(resolution, precinct, read);
      }
    return new KnownFacts(this.#facts);
  }

  clear(): void {
    this.#facts.clear();
  }
}
