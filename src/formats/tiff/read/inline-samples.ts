import { ServerError } from "../../../core/errors.ts";
import {
  createSampleDecoder,
  createTileDecoder,
  type DecodeSamples,
  damaged,
  type SampleJob,
} from "../codecs/index.ts";

/**
 * Decodes on the calling thread, without threads for tiles; throws `unreadable` where a tile is
 * corrupt.
 */
export const decodeHere = (): DecodeSamples => {
  let loading: Promise<(job: SampleJob) => Promise<Uint8Array>> | undefined;
  return async (job, signal) => {
    loading ??= createTileDecoder().then(createSampleDecoder);
    const decode = await loading;
    signal.throwIfAborted();
    try {
      return await decode(job);
    } catch (error) {
      throw error instanceof ServerError ? error : damaged(error);
    }
  };
};
