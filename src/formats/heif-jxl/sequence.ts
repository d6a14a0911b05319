import type { Settings } from "../../config/keys.ts";
import { fail, ServerError } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import type { ImageInfo, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { open } from "../libvips/index.ts";
import { type Decoder, lackText } from "../shared/index.ts";
import { findPrograms, samples, type VideoFrames, type VideoSequence } from "../video/index.ts";
import type { videoKeys } from "../video/keys.ts";
import {
  checkPrimary,
  type HeifFormat,
  type HeifStructure,
  type SequenceTracks,
  structureOf,
} from "./heif/index.ts";

/** Maximum number of frames that are pages. */
const maxFrames = 10_000;

/** ffmpeg's name of its box demuxer. */
const demuxer = "mov";

/** Frames that are pages. */
interface Frames {
  readonly sequence: VideoSequence;
  /**
   * Number of the first frame that is a page of its own: 1 where frame 0 has the data of a still
   * image.
   */
  readonly from: number;
  /** How many pages are frames. */
  readonly count: number;
}

/**
 * Reads a still image format whose files may also, or only, contain a sequence (ISO/IEC 23008-12,
 * 7). With FFmpeg's programs, its frames are pages after the still ones. Without them, or where the
 * frames are unreadable, only the still images are pages, and a file without any is refused.
 */
export const createSequenceDecoder = (
  format: HeifFormat,
  still: Decoder,
  settings: () => Settings<typeof videoKeys>,
  frames: VideoFrames,
): Decoder => {
  const known = new WeakMap<ImageInfo, Frames>();
  /** Of these, page 0 is known to be a still image. */
  const beginStill = new WeakSet<ImageInfo>();

  /** Throws `unreadable` where FFmpeg is missing or cannot read the frames. */
  const learn = async (
    reader: RangeReader,
    { tracks, items }: { readonly tracks: SequenceTracks; readonly items: HeifStructure["items"] },
    signal: AbortSignal,
  ): Promise<Frames> => {
    const programs = await findPrograms(settings()["FfmpegProcessor.path_to_binaries"]);
    if ("kind" in programs)
      return fail(
        "unreadable",
        `The ${format.toUpperCase()} has no primary item, only a sequence. FFmpeg can read it, but ${lackText(programs)}.`,
      );
    const sequence = await frames.ask({ reader, demuxer }, signal, (file, ffmpeg) =>
      ffmpeg.sequence(file, tracks, signal),
    );
    const bytes = area(sequence.size) * channelsOf(sequence);
    const max = settings()["processor.max_decoded_bytes"];
    if (bytes > max)
      fail(
        "unreadable",
        `Expected frames of at most ${max} bytes once decoded; those of the sequence take ${bytes}.`,
      );
    const isShown = items?.primary !== undefined && items.begins.has(tracks.firstAt);
    const from = isShown ? 1 : 0;
    return { sequence, from, count: Math.max(0, Math.min(sequence.frames, maxFrames) - from) };
  };

  /**
   * As `learn`; undefined where there is no sequence, or where a still image can be served without
   * it.
   */
  const learnOf = async (
    reader: RangeReader,
    structure: HeifStructure | undefined,
    signal: AbortSignal,
  ): Promise<Frames | undefined> => {
    const { tracks, items } = structure ?? {};
    if (tracks === undefined) return undefined;
    const learning = learn(reader, { tracks, items }, signal);
    return isSequenceOnly(structure) ? learning : learning.catch(stillOnly);
  };

  /**
   * Frames are kept beside an info, which returns from caches without them; absent where a page
   * does not need them.
   */
  const foundOf = async (
    reader: RangeReader,
    { info, page }: { readonly info: ImageInfo; readonly page: number },
    signal: AbortSignal,
  ): Promise<Frames | undefined> => {
    const before = known.get(info);
    if (before !== undefined || (page === 0 && beginStill.has(info))) return before;
    const structure = await structureOf(reader, signal);
    if (page === 0 && !isSequenceOnly(structure)) {
      beginStill.add(info);
      return undefined;
    }
    const found = await learnOf(reader, structure, signal);
    if (found !== undefined) known.set(info, found);
    return found;
  };

  return {
    ...still,

    async info(reader, signal) {
      const structure = await structureOf(reader, signal);
      const isOnly = isSequenceOnly(structure);
      if (!isOnly && structure?.items !== undefined) checkPrimary(format, structure.items);
      const info = isOnly ? undefined : await still.info(reader, signal);
      const found = await learnOf(reader, structure, signal);
      if (found === undefined) {
        const alone = info ?? (await still.info(reader, signal));
        beginStill.add(alone);
        return alone;
      }
      const page = pageOf(found.sequence);
      const framePages = Array.from({ length: found.count }, () => page);
      const [first = page, ...rest] = [...(info?.pages ?? []), ...framePages];
      const all: ImageInfo = { ...info, format, pages: [first, ...rest] };
      known.set(all, found);
      return all;
    },

    async read(reader, info, window, plan, signal) {
      const found = await foundOf(reader, { info, page: window.page }, signal);
      if (found === undefined) return still.read(reader, info, window, plan, signal);
      const { sequence, from, count } = found;
      const place = window.page - (info.pages.length - count);
      if (place < 0) return still.read(reader, info, window, plan, signal);
      const number = place + from;
      const { size } = sequence;
      const key = `${reader.path ?? ""}\0${plan.identifier}\0${plan.sourceVersion}\0frame ${number}`;
      const pixels =
        (await frames.frame(key, signal, (until) =>
          frames.ask({ reader, demuxer }, until, async (file, ffmpeg) => {
            const frame = await ffmpeg.numbered(file, sequence, number, until);
            await reader.check?.();
            return frame;
          }),
        )) ?? fail("missing", `Expected a frame up to ${sequence.frames}, not ${number + 1}.`);
      const options = {
        limitInputPixels: area(size),
        raw: { ...size, channels: channelsOf(sequence) },
      } as const;
      return {
        image: open(pixels, { options, seconds: settings()["processor.timeout"] }),
        size,
        covers: { x: 0, y: 0, ...size },
      };
    },
  };
};

/** Whether a file has frames, but no still image. */
const isSequenceOnly = (structure: HeifStructure | undefined): boolean =>
  structure?.tracks !== undefined && structure.items?.primary === undefined;

const channelsOf = ({ opacity }: VideoSequence): 3 | 4 => (opacity === undefined ? samples : 4);

/** A problem with the frames does not affect the still image. */
const stillOnly = (error: unknown): undefined => {
  if (error instanceof ServerError && error.failure === "unreadable") return undefined;
  throw error;
};

const pageOf = ({ size, orientation, opacity }: VideoSequence): Page => ({
  size,
  orientation,
  levels: [{ size, tile: size }],
  colour: { bits: 8, model: "rgb", alpha: opacity !== undefined, profile: "none" },
});
