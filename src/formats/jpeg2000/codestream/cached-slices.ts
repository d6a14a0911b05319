import type { Resolution } from "./grid.ts";
import type { Slice } from "./slices.ts";
import { WeighedCache } from "./weighed-cache.ts";

/**
 * For a precinct as large as the image, so many neighbouring slices on both sides are cached with
 * the requested ones.
 */
const slicesAround = 4;

/** The most recently used slices of a tile's precincts. */
export class KeptSlices {
  readonly #slices: WeighedCache<string, Slice>;

  /** With room for so many bytes. */
  constructor(max: () => number) {
    this.#slices = new WeighedCache(max);
  }

  /** Their approximate memory. */
  get bytes(): number {
    return this.#slices.bytes;
  }

  /** The present ones of some slices with at least so many layers, by number. */
  find(
    resolution: Resolution,
    precinct: number,
    { numbers, layers }: { readonly numbers: readonly number[]; readonly layers: number },
  ): Map<number, Slice> {
    const found = new Map<number, Slice>();
    for (const number of numbers) {
      const own = this.#slices.get(resolveName(resolution, precinct, number));
      if (own !== undefined && own.layers >= layers) found.set(number, own);
    }
    return found;
  }

  keep(resolution: Resolution, precinct: number, slices: ReadonlyMap<number, Slice>): void {
    for (const [slice, own] of slices)
      this.#slices.set(resolveName(resolution, precinct, slice), own);
  }

  clear(): void {
    this.#slices.clear();
  }
}

const resolveName = ({ component, level }: Resolution, precinct: number, slice: number): string =>
  `${component} ${level} ${precinct} ${slice}`;

/** The requested slices with their neighbours: viewers pan on from there. */
export const withNeighbours = (wanted: readonly number[], slices: number): readonly number[] => {
  const [first] = wanted;
  const last = wanted.at(-1);
  if (first === undefined || last === undefined || slices === 1) return wanted;
  const from = Math.max(0, first - slicesAround);
  const to = Math.min(slices - 1, last + slicesAround);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
};
