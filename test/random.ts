/** Pseudorandom numbers that are the same for the same seed, for tests and benchmarks. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  /** One of the given items. */
  one<T>(things: readonly [T, ...T[]]): T;
}

/** A generator that starts at `seed` (an integer) and never differs between machines. */
export const random = (seed: number): Random => {
  let state = seed >>> 0;
  // Mulberry32: 32 bits of state are plenty for test images and URL lists.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return { whole, one: (things) => things[whole(0, things.length - 1)] ?? things[0] };
};
