import { withProfile } from "../containers/index.ts";
import type { Encoder } from "../shared/index.ts";
import { compressions } from "../tiff/structure/index.ts";
import { jpegEncodingOf } from "./encoding.ts";
import type { TileJob } from "./tile-job.ts";
import type { TileThreads } from "./tile-threads.ts";

/**
 * Encodes pixels as JPEGs without libvips on this thread, as long as its turn has time; libvips is as
 * fast as handing them to another.
 */
export const pixelEncoderWith =
  (threads: TileThreads): NonNullable<Encoder["encodePixels"]> =>
  async ({ bytes, size, samples, profile }, plan) => {
    const encoding = jpegEncodingOf(plan);
    if (encoding === undefined || !(await threads.available())) return undefined;
    const job: TileJob = {
      ...{ size, samples, tile: size, tiles: [{ bytes, x: 0, y: 0 }] },
      ...{ compression: compressions.none, predictor: 1 },
      ...encoding,
    };
    const jpeg = threads.drawSync(job);
    return jpeg && profile ? withProfile(jpeg, profile) : jpeg;
  };
