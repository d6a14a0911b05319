/**
 * Counts events that may happen thousands of times a second, by kind, and logs them in sum: the
 * first at once, then at intervals everything since, as long as there is anything.
 */
export const loggedInSum = <Kind extends string>(
  tell: (counts: Partial<Readonly<Record<Kind, number>>>) => void,
  betweenMs = 5_000,
): ((kind: Kind) => void) => {
  let counts: Partial<Record<Kind, number>> = {};
  let isWaiting = false;
  const say = (): void => {
    isWaiting = Object.keys(counts).length > 0;
    if (!isWaiting) return;
    tell(counts);
    counts = {};
    setTimeout(say, betweenMs).unref();
  };
  return (kind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (!isWaiting) say();
  };
};
