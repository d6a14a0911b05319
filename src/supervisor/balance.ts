/**
 * Number of connections that each worker should close, so that its clients' next ones go to workers
 * with fewer; given each worker's number of open connections. All are 0 while the counts differ
 * little: clients come and go.
 */
export const surplusOf = (open: readonly number[]): number[] => {
  const total = open.reduce((sum, count) => sum + count, 0);
  const share = total / open.length;
  const difference = Math.max(...open) - Math.min(...open);
  if (difference < Math.max(minDifference, share * tolerance)) return open.map(() => 0);
  // What does not divide evenly stays with those that have the most.
  let remainder = total % open.length;
  const surplus = open.map(() => 0);
  for (const at of open
    .map((_, at) => at)
    .sort((one, other) => (open[other] ?? 0) - (open[one] ?? 0))) {
    const target = Math.floor(share) + (remainder-- > 0 ? 1 : 0);
    surplus[at] = Math.max(0, (open[at] ?? 0) - target);
  }
  return surplus;
};

/** Moving one connection gains nothing below this. */
const minDifference = 2;

/** Accepted difference between the most and the fewest connections, as a part of a fair share. */
const tolerance = 0.25;
