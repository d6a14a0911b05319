import type { Settings } from "../config/keys.ts";
import { fail, ServerError } from "../core/errors.ts";
import { area } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Decoder } from "./codec.ts";
import { ByteWindow } from "./jpeg2000/byte-window.ts";
import { type Box, boxesIn } from "./jpeg2000-file/boxes.ts";
import { readLocations } from "./metadata/avif-items.ts";
import type { readingKeys } from "./reading.ts";
import { samples, type VideoFrames } from "./video/frames.ts";
import type { VideoSequence } from "./video/probe.ts";
import { findPrograms } from "./video/programs.ts";
import { open } from "./vips.ts";

/** Frames beyond this many are no pages. */
const mostFrames = 10_000;

/** A longer list of items' places is not looked through. */
const longestList = 1_048_576;

/** What ffmpeg calls that which reads boxes. */
const demuxer = "mov";

/** Frames that are pages. */
interface Frames extends VideoSequence {
  /** How many of them are pages already, since their data is a still picture's: 0 or 1. */
  readonly shown: number;
}

/**
 * Reads a format of still pictures whose files may hold a sequence, too (ISO/IEC 23008-12, 7): where FFmpeg's
 * programs are there, its frames are pages behind the still ones. Without them, or where they cannot tell of the frames, the
 * still ones are all there is.
 */
export const createSequenceDecoder = (
  still: Decoder,
  settings: () => Settings<typeof readingKeys>,
  frames: VideoFrames,
): Decoder => {
  const known = new WeakMap<ImageInfo, Frames>();

  const learn = async (reader: RangeReader, signal: AbortSignal): Promise<Frames | undefined> => {
    const structure = await structureOf(reader, signal);
    if (structure === undefined) return undefined;
    if ("kind" in (await findPrograms(settings()["FfmpegProcessor.path_to_binaries"])))
      return undefined;
    const sequence = await frames
      .ask({ reader, demuxer }, signal, (file, ffmpeg) => ffmpeg.sequence(file, signal))
      .catch(stillOnly);
    const most = settings()["processor.max_decoded_bytes"];
    if (sequence === undefined || area(sequence.size) * samples > most) return undefined;
    return { ...sequence, shown: structure.stills.has(sequence.firstAt) ? 1 : 0 };
  };

  return {
    ...still,

    async info(reader, signal) {
      const info = await still.info(reader, signal);
      const found = await learn(reader, signal);
      if (found === undefined) return info;
      const count = Math.max(0, Math.min(found.frames, mostFrames) - found.shown);
      const page = pageOf(found);
      const [first, ...rest] = info.pages;
      const all: ImageInfo = {
        ...info,
        pages: [first, ...rest, ...Array.from({ length: count }, () => page)],
      };
      known.set(all, found);
      return all;
    },

    async read(reader, info, window, plan, signal) {
      if (window.page === 0) return still.read(reader, info, window, plan, signal);
      // Infos come back from caches without what was learned beside them.
      const found = known.get(info) ?? (await learn(reader, signal));
      if (found === undefined) return still.read(reader, info, window, plan, signal);
      known.set(info, found);
      const count = Math.max(0, Math.min(found.frames, mostFrames) - found.shown);
      const number = window.page - (info.pages.length - count) + found.shown;
      if (number < found.shown) return still.read(reader, info, window, plan, signal);
      const { size } = found;
      const key = `${reader.path ?? ""}\0${plan.identifier}\0${plan.sourceVersion}\0frame ${number}`;
      const pixels =
        (await frames.frame(key, signal, (until) =>
          frames.ask({ reader, demuxer }, until, async (file, ffmpeg) => {
            const frame = await ffmpeg.numbered(file, found, number, until);
            await reader.check?.();
            return frame;
          }),
        )) ?? fail("missing", `Expected a frame up to ${found.frames}, not ${number + 1}.`);
      const options = {
        limitInputPixels: area(size),
        raw: { ...size, channels: samples },
      } as const;
      return {
        image: open(pixels, { options, seconds: settings()["processor.timeout"] }),
        size,
        covers: { x: 0, y: 0, ...size },
      };
    },
  };
};

/** What is the matter with the frames is none of the still picture's business. */
const stillOnly = (error: unknown): undefined => {
  if (error instanceof ServerError && error.failure === "unreadable") return undefined;
  throw error;
};

const pageOf = ({ size, orientation }: VideoSequence): Page => ({
  size,
  orientation,
  levels: [{ size, tile: size }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
});

/** Where in the file still pictures begin; undefined of files that hold no sequence. */
const structureOf = async (
  reader: RangeReader,
  signal: AbortSignal,
): Promise<{ readonly stills: ReadonlySet<number> } | undefined> => {
  const window = new ByteWindow(reader, reader.size, signal);
  let meta: Box | undefined;
  let isSequence = false;
  for await (const box of boxesIn(window, { from: 0, to: reader.size })) {
    if (box.type === "moov") isSequence = true;
    if (box.type === "meta") meta ??= box;
  }
  if (!isSequence) return undefined;
  return { stills: meta === undefined ? new Set() : await stillsIn(window, meta) };
};

const stillsIn = async (
  window: ByteWindow,
  { offset, length }: Box,
): Promise<ReadonlySet<number>> => {
  const stretch = { from: offset + fullBox, to: offset + length };
  for await (const box of boxesIn(window, stretch)) {
    if (box.type !== "iloc" || box.length > longestList) continue;
    const bytes = (await window.at(box.offset, box.length)).subarray(0, box.length);
    const items = readLocations(Buffer.from(bytes));
    return new Set(
      [...items.values()].flatMap(({ isInData, extents }) => {
        const [first] = extents;
        return isInData || first === undefined ? [] : [first.offset];
      }),
    );
  }
  return new Set();
};

/** Version and flags, before the boxes within a box. */
const fullBox = 4;
