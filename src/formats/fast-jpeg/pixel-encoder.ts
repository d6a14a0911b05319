import { setImmediate as nextTurn } from "node:timers/promises";
import { withProfile } from "../containers/index.ts";
import type { Encoder } from "../shared/index.ts";
import { compressions } from "../tiff/structure/index.ts";
import { isRecoverable, jpegEncodingOf } from "./encoding.ts";
import type { TileJob } from "./tile-job.ts";
import type { TileThreads } from "./tile-threads.ts";

/**
 * Encodes pixels as JPEGs without libvips: on this thread as soon as one of its next turns has time,
 * else on another.
 */
export const pixelEncoderWith =
  (threads: TileThreads): NonNullable<Encoder["encodePixels"]> =>
  async ({ bytes, size, samples, profile }, plan, signal) => {
    const encoding = jpegEncodingOf(plan);
    if (encoding === undefined || !(await threads.available())) return undefined;
    const job: TileJob = {
      ...{ size, samples, tile: size, tiles: [{ bytes, x: 0, y: 0 }] },
      ...{ compression: compressions.none, predictor: 1 },
      ...encoding,
    };
    try {
      const jpeg = (await drawSoon(threads, job)) ?? (await threads.draw(job, signal));
      return profile ? withProfile(jpeg, profile) : jpeg;
    } catch (error) {
      if (isRecoverable(error)) return undefined;
      throw error;
    }
  };

/** Turns of the event loop to wait for: another thread would take longer to start, or to wake up. */
const maxTurns = 16;

const drawSoon = async (threads: TileThreads, job: TileJob): Promise<Uint8Array | undefined> => {
  for (let turn = 0; turn < maxTurns; turn++) {
    const jpeg = threads.drawSync(job);
    if (jpeg !== undefined) return jpeg;
    await nextTurn();
  }
  return undefined;
};
