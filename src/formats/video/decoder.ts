import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import type { FormatName } from "../../core/formats.ts";
import { area } from "../../core/geometry.ts";
import type { ImageInfo } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { open } from "../libvips/index.ts";
import type { Decoder } from "../shared/index.ts";
import { samples, type VideoFrames } from "./frames.ts";
import type { videoKeys } from "./keys.ts";
import type { VideoStream } from "./probe.ts";

/** The formats of videos. */
export type VideoFormat = "avi" | "flv" | "mov" | "mp4" | "mpg" | "webm";

/** Reads videos of a format with FFmpeg's programs: the frame at a second is an image. */
export const createVideoDecoder = (
  format: VideoFormat,
  settings: () => Settings<typeof videoKeys>,
  frames: VideoFrames,
): Decoder => {
  const streams = new WeakMap<ImageInfo, VideoStream>();

  const decode = async (
    reader: RangeReader,
    { info, second }: { readonly info: ImageInfo; readonly second: number },
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> => {
    const demuxer = await demuxerOf(info.format, reader, signal);
    return frames.ask({ reader, demuxer }, signal, async (file, ffmpeg) => {
      // Infos return from caches without the additional facts.
      const stream = streams.get(info) ?? (await ffmpeg.probe(file, signal));
      streams.set(info, stream);
      const frame = await ffmpeg.frame(file, stream, second, signal);
      await reader.check?.();
      return frame;
    });
  };

  return {
    async info(reader, signal) {
      const demuxer = await demuxerOf(format, reader, signal);
      const stream = await frames.ask({ reader, demuxer }, signal, (file, ffmpeg) =>
        ffmpeg.probe(file, signal),
      );
      const { size, orientation, seconds = "unknown" } = stream;
      const max = settings()["processor.max_decoded_bytes"];
      if (area(size) * samples > max)
        fail(
          "unreadable",
          `Expected a video whose frames take at most ${max} bytes once decoded; those of this one take ${area(size) * samples}.`,
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
        (await frames.frame(key, signal, (until) => decode(reader, { info, second }, until))) ??
        fail("missing", `The video has no frame at second ${second}.`);
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
  };
};

/** ffmpeg's demuxer of a format; a bare MPEG stream has another one. */
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

/** The start of a bare video stream (ISO/IEC 13818-2, 6.2.1). */
const sequenceHeader = 0xb3;

const demuxers: Readonly<Record<Exclude<VideoFormat, "mpg">, string>> = {
  avi: "avi",
  flv: "flv",
  mov: "mov",
  mp4: "mov",
  webm: "matroska",
};
