import type { Rect, Size } from "../../core/geometry.ts";
import { extentOf, maxTaps } from "../shared/index.ts";
import type { ScaleJob } from "./tile-job.ts";

/**
 * Source pixels of one job, including whole tiles around the region; more occupy a thread for too
 * long.
 */
export const maxJobPixels = 8_388_608;
/** Bytes that a thread may keep allocated after a job. */
export const maxJobBytes = 67_108_864;
/** Filter weights per output pixel along one axis. */
const maxWeights = 256;
/**
 * Level pixels per output pixel; less than this is enlarging by more than rounding of sides
 * explains.
 */
const minStep = 0.9;
/** The longest side of a JPEG that libjpeg writes (ISO/IEC 10918-1, B.2.2, allows 65,535). */
export const maxJpegSide = 65_500;

/** How a region of a level is scaled. */
export type Scaling = Pick<ScaleJob, "across" | "down" | "filter">;

/**
 * The part of a level that the scaled image depends on; undefined where the scaling exceeds the
 * limits.
 */
export const scaledRegion = (level: Size, { across, down, filter }: Scaling): Rect | undefined => {
  for (const { step, count } of [across, down])
    if (step < minStep || maxTaps(step, filter) > maxWeights || count > maxJpegSide)
      return undefined;
  const [x, right] = extentOf(across, filter, level.width);
  const [y, bottom] = extentOf(down, filter, level.height);
  return { x, y, width: right - x, height: bottom - y };
};
