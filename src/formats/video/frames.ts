import type { Settings } from "../../config/keys.ts";
import { DecoderLost, ServerError } from "../../core/errors.ts";
import { Limiter } from "../../core/limiter.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { SingleFlight } from "../../core/singleflight.ts";
import type { MemoryReservations } from "../pool/index.ts";
import { ByteCache } from "../shared/index.ts";
import type { VideoFile } from "./arguments.ts";
import { createFfmpeg, type Ffmpeg } from "./ffmpeg.ts";
import type { videoKeys } from "./keys.ts";

import { withLocalFile } from "./local-file.ts";

/** Maximum number of frames that wait for a program. */
const maxWaiting = 64;

/** Bytes per pixel of a frame: red, green and blue. */
export const samples = 3;

/**
 * What the decoders of all formats read by FFmpeg share: the limit on runs, and the frame cache.
 */
export interface VideoFrames {
  /**
   * Runs FFmpeg on a file, within the limit; `demuxer` is ffmpeg's name of the demuxer for its
   * bytes.
   */
  ask<T>(
    file: { readonly reader: RangeReader; readonly demuxer: string },
    signal: AbortSignal,
    work: (file: VideoFile, ffmpeg: Ffmpeg) => Promise<T>,
  ): Promise<T>;
  /**
   * A frame by key, cached or from one run for all concurrent requests; undefined where there is
   * none.
   */
  frame(
    key: string,
    signal: AbortSignal,
    decode: (signal: AbortSignal) => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array | undefined>;
}

export const createVideoFrames = (
  settings: () => Settings<typeof videoKeys>,
  reservations?: MemoryReservations,
): VideoFrames => {
  const withMemory = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    reservations === undefined
      ? work()
      : reservations.use(settings()["processor.video.max_memory_bytes"], signal, work);
  const ffmpeg = createFfmpeg(settings);
  const limiter = new Limiter(
    () => ({ running: settings()["processor.video.max_running"], waiting: maxWaiting }),
    "The server is busy: too many frames of videos are waiting to be decoded.",
  );
  const frames = new ByteCache<string, Uint8Array>(settings()["cache.server.frames.target_size"]);
  const flights = new SingleFlight<Uint8Array | undefined>();

  /** The caller that provided the reader waits until the run is over. */
  const shared = async (
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Uint8Array | undefined>,
  ): Promise<Uint8Array | undefined> => {
    let mine: Promise<unknown> | undefined;
    try {
      return await flights.run(key, signal, (signal) => {
        const run = work(signal);
        mine = run;
        return run;
      });
    } catch (error) {
      // One run is lost once, however many wait for it.
      if (error instanceof DecoderLost && mine === undefined)
        throw new ServerError(error.failure, error.message, { cause: error.cause });
      throw error;
    } finally {
      await mine?.catch(() => {
        // Its waiters get the error.
      });
    }
  };

  return {
    async ask({ reader, demuxer }, signal, work) {
      const max = settings()["processor.video.max_copied_bytes"];
      return limiter.run(signal, () =>
        withMemory(signal, () =>
          withLocalFile(reader, { max, signal }, (path) => work({ path, demuxer }, ffmpeg)),
        ),
      );
    },

    async frame(key, signal, decode) {
      const frame = frames.get(key) ?? (await shared(key, signal, decode));
      if (frame !== undefined) frames.set(key, frame, frame.length);
      return frame;
    },
  };
};
