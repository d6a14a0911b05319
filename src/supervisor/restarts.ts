/** A worker that ends sooner than this, in milliseconds, has died early. */
const earlyMs = 10_000;

const firstPauseMs = 250;
const longestPauseMs = 30_000;

/** So many early deaths in a row are enough when nobody serves meanwhile. */
const maxEarlyCrashes = 6;

/** What to do about a worker that ended. */
export type Restart = { readonly afterMs: number } | "give up";

/** How many early deaths in a row there are, once a worker has ended after so many milliseconds. */
export const earlyDeaths = (before: number, livedMs: number): number =>
  livedMs < earlyMs ? before + 1 : 0;

/**
 * Starts a worker again: at once after a long life, later and later when it keeps dying early, and
 * not at all when it does so again and again and no other serves.
 */
export const restartAfter = (
  early: number,
  { othersServe }: { readonly othersServe: boolean },
): Restart => {
  if (early >= maxEarlyCrashes && !othersServe) return "give up";
  if (early <= 1) return { afterMs: 0 };
  return { afterMs: Math.min(firstPauseMs * 2 ** (early - 2), longestPauseMs) };
};
