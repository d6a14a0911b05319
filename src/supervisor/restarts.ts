/** A worker that ends sooner than this, in milliseconds, has died early. */
const earlyMs = 10_000;

const firstPauseMs = 250;
const longestPauseMs = 30_000;

/** Number of consecutive early deaths after which the server stops, if no worker serves. */
const maxEarlyCrashes = 6;

/** What to do about a dead worker. */
export type Restart = { readonly afterMs: number } | "give up";

/** The number of consecutive early deaths, once a worker has ended after so many milliseconds. */
export const earlyDeaths = (before: number, livedMs: number): number =>
  livedMs < earlyMs ? before + 1 : 0;

/**
 * Restarts a worker: at once after a long life, with growing pauses when it keeps dying early, and
 * not at all when it does so repeatedly and no other serves.
 */
export const restartAfter = (
  early: number,
  { othersServe }: { readonly othersServe: boolean },
): Restart => {
  if (early >= maxEarlyCrashes && !othersServe) return "give up";
  if (early <= 1) return { afterMs: 0 };
  return { afterMs: Math.min(firstPauseMs * 2 ** (early - 2), longestPauseMs) };
};
