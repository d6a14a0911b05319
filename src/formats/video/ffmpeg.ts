import type { Settings } from "../../config/keys.ts";
import { DecoderLost, fail, ServerError } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import { lackText } from "../shared/index.ts";
import {
  frameArguments,
  inputArguments,
  lastFrameArguments,
  lumaOfFrame,
  oneFrame,
  opening,
  runUp,
  type VideoFile,
} from "./arguments.ts";
import type { videoKeys } from "./keys.ts";
import { withOpacity } from "./opacity.ts";
import {
  endArguments,
  endOf,
  probeArguments,
  sequenceArguments,
  sequenceOf,
  streamOf,
  type VideoSequence,
  type VideoStream,
  type WantedTracks,
} from "./probe.ts";
import { findPrograms, type Programs } from "./programs.ts";
import { type RunEnd, runProgram } from "./run.ts";

/** Runs FFmpeg's programs on videos. */
export interface Ffmpeg {
  /** Throws `unreadable`, `late`, and the signal's reason. */
  probe(file: VideoFile, signal: AbortSignal): Promise<VideoStream>;
  /**
   * Red, green and blue of the first frame at or after so many seconds, in its stored orientation;
   * undefined past the end. Throws as `probe`.
   */
  frame(
    file: VideoFile,
    stream: VideoStream,
    second: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
  /** As `probe`, of a file with numbered frames. */
  sequence(file: VideoFile, tracks: WantedTracks, signal: AbortSignal): Promise<VideoSequence>;
  /**
   * As `frame`, by number, counted from 0, and with its opacity where the sequence has that; the
   * frames before it are decoded, too.
   */
  numbered(
    file: VideoFile,
    sequence: VideoSequence,
    number: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
}

/**
 * Their stated length is only a guess: by the bit rate, or by the last timestamp, which many images
 * may follow.
 */
const untold: ReadonlySet<string> = new Set(["mpeg", "mpegvideo"]);

/** Maximum bytes of ffprobe's output: files may have many streams. */
const maxSaid = 1_048_576;

const samples = 3;

export const createFfmpeg = (settings: () => Settings<typeof videoKeys>): Ffmpeg => {
  const run = async (
    program: "ffmpeg" | "ffprobe",
    args: readonly string[],
    { bytes, signal }: { readonly bytes: number; readonly signal: AbortSignal },
  ): Promise<RunEnd> => {
    const now = settings();
    const programs = await programsOf(now);
    const memory = now["processor.video.max_memory_bytes"];
    const { prlimit } = programs;
    const ended = await runProgram({
      program: programs[program],
      args: [...bounds(now), ...args],
      limits: { ms: timeLimit(now), bytes, ...(prlimit && { memory: { bytes: memory, prlimit } }) },
      niceness,
      signal,
    });
    if (ended.end === "late")
      throw new DecoderLost(
        new ServerError("late", "Finding or decoding a frame of the video took too long."),
      );
    if (ended.end === "killed")
      throw new DecoderLost(
        new ServerError(
          "unreadable",
          "Expected a video that can be decoded; this one is corrupt or needs too much memory.",
          { cause: said(ended.complaint) },
        ),
      );
    if (ended.end === "absent")
      fail("internal", `Cannot start ${program}.`, new Error(ended.complaint));
    return ended;
  };

  const ask = async (
    questions: readonly string[],
    file: VideoFile,
    signal: AbortSignal,
  ): Promise<string> => {
    const args = [...questions, ...inputArguments(file)];
    const { end, output, complaint } = await run("ffprobe", args, { bytes: maxSaid, signal });
    if (end !== 0) fail("unreadable", "Corrupt video, or no video at all.", said(complaint));
    return Buffer.from(output).toString("utf8");
  };

  /** The duration of a video, by its end; undefined where finding out takes too long. */
  const measure = async (
    file: VideoFile,
    { index, seconds = 0 }: { readonly index: number; readonly seconds: number | undefined },
    signal: AbortSignal,
  ): Promise<number | undefined> => {
    const from = file.demuxer === "mpeg" ? Math.max(0, seconds - runUp) : 0;
    const args = [...endArguments({ index }, from), ...inputArguments(file)];
    try {
      const { end, output } = await run("ffprobe", args, { bytes: maxSaid, signal });
      return end === 0 ? endOf(Buffer.from(output).toString("utf8")) : undefined;
    } catch (error) {
      // Its images can be served all the same.
      if (error instanceof DecoderLost) return undefined;
      throw error;
    }
  };

  return {
    async probe(file, signal) {
      const { seconds: said, ...stream } = streamOf(await ask(probeArguments, file, signal));
      const isTold = said !== undefined && !untold.has(file.demuxer);
      const seconds = isTold ? said : await measure(file, { ...stream, seconds: said }, signal);
      return { ...stream, ...(seconds === undefined ? {} : { seconds }) };
    },

    sequence: async (file, tracks, signal) =>
      sequenceOf(await ask(sequenceArguments, file, signal), tracks),

    async numbered(file, sequence, number, signal) {
      const pixels = area(sequence.size);
      const picked = [`select=eq(n\\,${number})`];
      const decode = async (picture: readonly string[], bytes: number) => {
        const args = [...opening(file, 0), ...picture];
        const { end, output, complaint } = await run("ffmpeg", args, { bytes, signal });
        if (end === 0 && output.length === 0) return undefined;
        return end === 0 && output.length === bytes ? output : undrawable(complaint);
      };
      const colours = await decode(oneFrame(sequence, 0, picked), pixels * samples);
      const { opacity, size } = sequence;
      if (colours === undefined || opacity === undefined) return colours;
      const values = await decode(lumaOfFrame(opacity, size, picked), pixels);
      // Opaque output would show what was meant to be hidden.
      return values === undefined
        ? undrawable(`There is no opacity of frame ${number}.`)
        : withOpacity(colours, values, opacity);
    },

    async frame(file, stream, second, signal) {
      const bytes = area(stream.size) * samples;
      const decode = (args: readonly string[]) => run("ffmpeg", args, { bytes, signal });
      const sought = await decode(frameArguments(file, stream, second));
      const isAfterLast = sought.end === 0 && sought.output.length === 0 && second > 0;
      if (isAfterLast && second >= (stream.seconds ?? 0)) return undefined;
      // The last frame may be shown for longer than others: it is used until the end.
      const { end, output, complaint } = isAfterLast
        ? await decode(lastFrameArguments(file, stream, second))
        : sought;
      if (end === 0 && output.length === 0 && second > 0) return undefined;
      return end === 0 && output.length === bytes ? output : undrawable(complaint);
    },
  };
};

const undrawable = (complaint: string): never =>
  fail(
    "unreadable",
    "Cannot decode a frame of the video: it is corrupt or needs more than the available memory.",
    said(complaint),
  );

/** Throws `unreadable`, naming what is missing, where they are not installed. */
const programsOf = async (settings: Settings<typeof videoKeys>): Promise<Programs> => {
  const programs = await findPrograms(settings["FfmpegProcessor.path_to_binaries"]);
  return "kind" in programs
    ? fail("unreadable", `Cannot read videos here: ${lackText(programs)}.`)
    : programs;
};

/** Decoding a frame has a lower priority than answering requests. */
const niceness = 10;

const said = (complaint: string): Error | undefined =>
  complaint === "" ? undefined : new Error(complaint);

const timeLimit = (settings: Settings<typeof videoKeys>): number =>
  1_000 *
  Math.min(
    settings["processor.timeout"] || Number.POSITIVE_INFINITY,
    settings["processor.video.timeout"],
  );

/** Arguments common to both programs. */
const bounds = (settings: Settings<typeof videoKeys>): readonly string[] => [
  "-hide_banner",
  "-v",
  "error",
  "-max_alloc",
  `${settings["processor.video.max_memory_bytes"]}`,
  "-threads",
  `${settings["processor.video.threads"]}`,
  "-max_pixels",
  `${Math.floor(settings["processor.max_decoded_bytes"] / samples)}`,
];
