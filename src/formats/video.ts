import type { Settings } from "../config/keys.ts";
import { DecoderLost, fail, ServerError } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import { area } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { Decoder } from "./codec.ts";
import type { readingKeys } from "./reading.ts";
import { ByteBound } from "./tiff-memory.ts";
import { createFfmpeg, type VideoFile } from "./video/ffmpeg.ts";
import { withLocalFile } from "./video/local-file.ts";
import type { VideoStream } from "./video/probe.ts";
import { Turns } from "./video/turns.ts";
import { open } from "./vips.ts";

/** The formats of videos. */
export type VideoFormat = "avi" | "flv" | "mov" | "mp4" | "mpg" | "webm";

const samples = 3;

/**
 * Reads videos by FFmpeg's programs: the frame at a second is a picture. All formats share the frames
 * that are kept, and the turns that runs of ffmpeg have to wait for.
 */
export const createVideoDecoders = (
  settings: () => Settings<typeof readingKeys>,
): ((format: VideoFormat) => Decoder) => {
  const ffmpeg = createFfmpeg(settings);
  const turns = new Turns(() => settings()["processor.video.max_running"]);
  const frames = new ByteBound<string, Uint8Array>(settings()["cache.server.frames.target_size"]);
  const flights = new SingleFlight<Uint8Array | undefined>();
  const streams = new WeakMap<ImageInfo, VideoStream>();

  const withFile = async <T>(
    { reader, format }: { readonly reader: RangeReader; readonly format: FormatName },
    signal: AbortSignal,
    work: (file: VideoFile) => Promise<T>,
  ): Promise<T> => {
    const demuxer = await demuxerOf(format, reader, signal);
    const most = settings()["processor.video.max_copied_bytes"];
    return turns.run(signal, () =>
      withLocalFile(reader, { most, signal }, (path) => work({ path, demuxer })),
    );
  };

  const decode = (
    reader: RangeReader,
    { info, second }: { readonly info: ImageInfo; readonly second: number },
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> =>
    withFile({ reader, format: info.format }, signal, async (file) => {
      // Infos come back from caches without what was learned beside them.
      const stream = streams.get(info) ?? (await ffmpeg.probe(file, signal));
      streams.set(info, stream);
      const frame = await ffmpeg.frame(file, stream, second, signal);
      await reader.check?.();
      return frame;
    });

  /** One run for all who want the frame at the same time; who brought the reader stays until it is over. */
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
        // Whoever waits for it has been told.
      });
    }
  };

  return (format) => ({
    async info(reader, signal) {
      const stream = await withFile({ reader, format }, signal, (file) =>
        ffmpeg.probe(file, signal),
      );
      const { size, orientation } = stream;
      // What MPEG's streams say of their length leaves out what follows the last time that is written.
      const seconds = format === "mpg" ? "unknown" : (stream.seconds ?? "unknown");
      const most = settings()["processor.max_decoded_bytes"];
      if (area(size) * samples > most)
        fail(
          "unreadable",
          `Expected a video whose frames take at most ${most} bytes once decoded; those of this one take ${area(size) * samples}.`,
        );
      const info: ImageInfo = {
        format,
        pages: [
          {
            size,
            orientation,
            levels: [{ size, tile: size }],
            colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
          },
        ],
        seconds,
      };
      streams.set(info, stream);
      return info;
    },

    async read(reader, info, { page: second }, plan, signal) {
      const [{ size }] = info.pages;
      const key = `${reader.path ?? ""}\0${plan.identifier}\0${plan.sourceVersion}\0${second}`;
      const frame =
        frames.get(key) ??
        (await shared(key, signal, (signal) => decode(reader, { info, second }, signal))) ??
        fail("missing", `Expected a second at which the video has a frame, not ${second}.`);
      frames.set(key, frame, frame.length);
      const options = {
        limitInputPixels: area(size),
        raw: { width: size.width, height: size.height, channels: samples },
      } as const;
      return {
        image: open(frame, { options, seconds: settings()["processor.timeout"] }),
        size,
        covers: { x: 0, y: 0, ...size },
      };
    },
  });
};

/** What ffmpeg calls that which reads a format; of MPEG a bare stream is another matter. */
const demuxerOf = async (
  format: FormatName,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<string> => {
  if (format === "mpg") {
    const [, , , code] = await reader.read(0, 4, signal);
    return code === sequenceHeader ? "mpegvideo" : "mpeg";
  }
  return demuxers[format as Exclude<VideoFormat, "mpg">];
};

/** Begins a stream of pictures with nothing around it (ISO/IEC 13818-2, 6.2.1). */
const sequenceHeader = 0xb3;

const demuxers: Readonly<Record<Exclude<VideoFormat, "mpg">, string>> = {
  avi: "avi",
  flv: "flv",
  mov: "mov",
  mp4: "mov",
  webm: "matroska",
};
