import { type Job, type Steps, work } from "../../core/steps.ts";
import { neverAborted, withAbortFlag } from "./abort-flag.ts";
import type { ScaleJob, TileJob } from "./tile-job.ts";
import { type TileThreads, withOwnBytes } from "./tile-threads.ts";

/** Whether fast JPEGs are available on this machine. */
export const canDraw = (threads: TileThreads): Steps<boolean> =>
  work({ here: () => threads.isAvailable?.(), away: () => threads.available() });

/**
 * Renders tiles, on this thread where it takes little time. With `isPassing`, their bytes are in
 * the threads' `room`, and are copied before any wait.
 */
export const drawing = (threads: TileThreads, job: TileJob, isPassing = false): Job<Uint8Array> => {
  let kept = job;
  return {
    here: () => {
      const jpeg = threads.drawSync(job);
      if (jpeg === undefined && isPassing) kept = withOwnBytes(job);
      return jpeg;
    },
    away: (signal) => threads.draw(kept, signal),
  };
};

/**
 * Renders downscaled tiles; a thread stops when nobody waits any more. With `isHere`, on this
 * thread if it takes little time.
 */
export const scaledDrawing = (
  threads: TileThreads,
  job: Omit<ScaleJob, "left">,
  isHere: boolean,
): Job<Uint8Array> => ({
  ...(isHere && { here: () => threads.drawSync({ ...job, left: neverAborted }) }),
  away: (signal) => withAbortFlag(signal, (left) => threads.draw({ ...job, left }, signal)),
});
