import type { PyramidsMade } from "../service/pyramids.ts";
import type { PyramidCounts } from "./task.ts";

/** Maximum number of reasons in the result of a task. */
const maxReasons = 20;

/** The counts of a task that makes pyramids at its start. */
export const nothingMade: PyramidCounts = {
  images: 0,
  made: 0,
  ready: 0,
  unneeded: 0,
  refused: 0,
  failed: 0,
  reasons: [],
};

/** The counts after the pyramids of one more image. */
export const withImage = (
  counts: PyramidCounts,
  identifier: string,
  { made, ready, unneeded, refused }: PyramidsMade,
): PyramidCounts => ({
  ...counts,
  images: counts.images + 1,
  made: counts.made + made,
  ready: counts.ready + ready,
  unneeded: counts.unneeded + unneeded,
  refused: counts.refused + refused.length,
  reasons: withReasons(counts, identifier, refused),
});

/** The counts after one more unreadable image. */
export const withFailure = (
  counts: PyramidCounts,
  identifier: string,
  reason: string,
): PyramidCounts => ({
  ...counts,
  images: counts.images + 1,
  failed: counts.failed + 1,
  reasons: withReasons(counts, identifier, [reason]),
});

const withReasons = (
  { reasons }: PyramidCounts,
  identifier: string,
  further: readonly string[],
): PyramidCounts["reasons"] =>
  [...reasons, ...further.slice(-maxReasons).map((reason) => ({ identifier, reason }))].slice(
    -maxReasons,
  );
