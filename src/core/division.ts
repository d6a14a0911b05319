/** What one part of a whole would have. */
export interface Claim {
  /** It has no less, whatever there is. */
  readonly floor: number;
  /** Beyond the floors, parts have as much as their weights say, compared with others. */
  readonly weight: number;
  /** It has no more; at least the floor. */
  readonly ceiling: number;
}

/**
 * Divides a whole number of bytes: each part has its weight's portion, but no less than its floor
 * and no more than its ceiling. All together are no more than the whole, unless the floors alone
 * are.
 */
export const divide = <Name extends string>(
  whole: number,
  claims: Readonly<Record<Name, Claim>>,
): Readonly<Record<Name, number>> => {
  const all = Object.entries<Claim>(claims);
  const sumAt = (level: number): number =>
    all.reduce((sum, [, claim]) => sum + portionAt(level, claim), 0);
  // Bytes for a weight of 1: what is found is the most at which all parts fit.
  let low = 0;
  let high = Math.max(1, whole);
  while (sumAt(high) < whole && high < highest) high *= 2;
  for (let step = 0; step < precision; step++) {
    const middle = (low + high) / 2;
    if (sumAt(middle) <= whole) low = middle;
    else high = middle;
  }
  // Names and what they have are those of the claims.
  return Object.fromEntries(all.map(([name, claim]) => [name, portionAt(low, claim)])) as Record<
    Name,
    number
  >;
};

const portionAt = (level: number, { floor, weight, ceiling }: Claim): number =>
  Math.max(floor, Math.min(ceiling, Math.floor(weight * level)));

/** Beyond it every part has its ceiling. */
const highest = 2 ** 60;
const precision = 64;
