import type { Busy } from "../../core/busy.ts";
import type { Logger } from "../../core/log.ts";

/**
 * Counts refused requests and logs them in sum: the first one at once, then one line for all within
 * some seconds, as long as there are any.
 */
export const refusals = (log: Logger): ((refusal: Busy) => void) => {
  let sums = new Map<string, Sum>();
  let waiting = false;
  const say = (): void => {
    waiting = sums.size > 0;
    if (!waiting) return;
    const all = [...sums.values()].reduce((count, { refused }) => count + refused, 0);
    log.warn(
      `${all === 1 ? "A request was" : `${all} requests were`} refused: too much work is queued`,
      {
        ...Object.fromEntries(sums),
      },
    );
    sums = new Map();
    setTimeout(say, betweenMs).unref();
  };
  return ({ crowd: { lane, waiting: inQueue, expectedMs } }) => {
    const sum = sums.get(lane);
    const seconds = Math.ceil(expectedMs / 1000);
    sums.set(lane, {
      refused: (sum?.refused ?? 0) + 1,
      waiting: Math.max(sum?.waiting ?? 0, inQueue),
      seconds: Math.max(sum?.seconds ?? 0, seconds),
    });
    if (!waiting) say();
  };
};

/** The refusals of a lane. */
interface Sum {
  readonly refused: number;
  /** Maximum number of requests that were queued in it. */
  readonly waiting: number;
  /** The longest estimated wait. */
  readonly seconds: number;
}

const betweenMs = 5_000;
