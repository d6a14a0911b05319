/** The share of one part of a whole. */
export interface Claim {
  /** Minimum. */
  readonly floor: number;
  /** Relative weight of the share above the floor. */
  readonly weight: number;
  /** Maximum; at least the floor. */
  readonly ceiling: number;
}

/**
 * Divides a whole number of bytes: each part gets its weight's portion, but no less than its floor
 * and no more than its ceiling. The sum never exceeds the whole, unless the floors alone do.
 */
export const divide = <Name extends string>(
  whole: number,
  claims: Readonly<Record<Name, Claim>>,
): Readonly<Record<Name, number>> => {
  const all = Object.entries<Claim>(claims);
  const sumAt = (level: number): number =>
    all.reduce((sum, [, claim]) => sum + portionAt(level, claim), 0);
  // Bytes for a weight of 1: finds the most with which all parts fit.
  let low = 0;
  let high = Math.max(1, whole);
  while (sumAt(high) < whole && high < highest) high *= 2;
  for (let step = 0; step < precision; step++) {
    const middle = (low + high) / 2;
    if (sumAt(middle) <= whole) low = middle;
    else high = middle;
  }
  // Names and values come from the claims.
  return Object.fromEntries(all.map(([name, claim]) => [name, portionAt(low, claim)])) as Record<
    Name,
    number
  >;
};

const portionAt = (level: number, { floor, weight, ceiling }: Claim): number =>
  Math.max(floor, Math.min(ceiling, Math.floor(weight * level)));

/** Beyond it every part is at its ceiling. */
const highest = 2 ** 60;
const precision = 64;
