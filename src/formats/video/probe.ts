import { fail } from "../../core/errors.ts";
import { type Orientation, round, type Size } from "../../core/geometry.ts";

/** What is known of a video's images before decoding any. */
export interface VideoStream {
  /** Index among all streams of the file. */
  readonly index: number;
  /** With square pixels, before orientation. */
  readonly size: Size;
  readonly orientation: Orientation;
  /** In seconds; absent where the file does not state it, and only its end shows it. */
  readonly seconds?: number;
  /** Set where its colours are most likely those of high definition, but the file does not say. */
  readonly highDefinition?: true;
}

/** A video of numbered frames. */
export interface VideoSequence extends VideoStream {
  /** Number of frames. */
  readonly frames: number;
  /** The stream with the opacity of each frame. */
  readonly opacity?: OpacityStream;
}

/** A stream whose luma is the opacity of another's frames. */
export interface OpacityStream {
  /** Index among all streams of the file. */
  readonly index: number;
  /** Set where 8-bit values range from 16 to 235 rather than from 0 to 255. */
  readonly limited: boolean;
  /** Set where colours are premultiplied. */
  readonly premultiplied: boolean;
}

/** The tracks of a sequence. */
export interface WantedTracks {
  readonly main: WantedTrack;
  readonly opacity?: WantedTrack & { readonly premultiplied: boolean };
}

/** A track by its ID, which images of the same file may share, and the number of its frames. */
interface WantedTrack {
  readonly id: number;
  readonly frames: number;
}

const entries =
  "stream=index,width,height,sample_aspect_ratio,duration,color_space,pix_fmt,nb_frames:stream_side_data=displaymatrix:stream_tags=DURATION:format=duration";

/** Arguments of ffprobe; the file follows. */
export const probeArguments: readonly string[] = [
  "-select_streams",
  "V",
  "-show_entries",
  entries,
  "-of",
  "json=compact=1",
];

/** As `probeArguments`, of a sequence, whose tracks are identified by ID. */
export const sequenceArguments: readonly string[] = [
  "-select_streams",
  "V",
  "-show_entries",
  entries.replace("stream=", "stream=id,color_range,"),
  "-of",
  "json=compact=1",
];

/**
 * Arguments of ffprobe that find the end of a stream: its packets from so many seconds after the
 * start of the file on.
 */
export const endArguments = (
  { index }: Pick<VideoStream, "index">,
  from: number,
): readonly string[] => [
  "-select_streams",
  `${index}`,
  ...(from > 0 ? ["-read_intervals", `+${from}%`] : []),
  "-show_entries",
  "packet=pts_time,dts_time,duration_time:stream=has_b_frames:format=start_time",
  "-of",
  "json=compact=1",
];

/** The used part of ffprobe's output; every field may be missing. */
interface ProbeOutput {
  readonly streams?: readonly Stream[];
  readonly packets?: readonly {
    readonly pts_time?: string;
    readonly dts_time?: string;
    readonly duration_time?: string;
  }[];
  readonly format?: { readonly duration?: string; readonly start_time?: string };
}

interface Stream {
  readonly index?: number;
  /** As in `0x1`. */
  readonly id?: string;
  readonly color_range?: string;
  readonly width?: number;
  readonly height?: number;
  readonly sample_aspect_ratio?: string;
  readonly duration?: string;
  readonly color_space?: string;
  readonly pix_fmt?: string;
  readonly nb_frames?: string;
  readonly has_b_frames?: number;
  readonly tags?: { readonly DURATION?: string };
  readonly side_data_list?: readonly { readonly displaymatrix?: string }[];
}

/**
 * The sequence of these tracks; throws `unreadable` where FFmpeg does not find them, or not their
 * number of frames.
 */
export const sequenceOf = (text: string, { main, opacity }: WantedTracks): VideoSequence => {
  const { streams = [] } = parsed(text);
  const { index, size, orientation } = described([streamIn(streams, main)], undefined);
  // Its default colours are those of BT.601, however large it is, as with still images.
  const sequence = { index, size, orientation, frames: main.frames };
  if (opacity === undefined) return sequence;
  const { premultiplied } = opacity;
  const { index: second = -1, color_range } = streamIn(streams, opacity);
  return { ...sequence, opacity: { index: second, limited: color_range !== "pc", premultiplied } };
};

const streamIn = (streams: readonly Stream[], { id, frames }: WantedTrack): Stream => {
  // Newer versions of FFmpeg list still images among the streams, with IDs of their own.
  const found = streams.filter((stream) => Number(stream.id) === id);
  const counted = found.find(({ nb_frames }) => Number(nb_frames) === frames);
  return counted ?? fail("unreadable", "Expected a sequence with complete tracks.");
};

/** The first video stream that ffprobe reports; throws `unreadable` where there is none. */
export const streamOf = (text: string): VideoStream => {
  const { streams = [], format } = parsed(text);
  return described(streams, format);
};

const described = (streams: readonly Stream[], format: ProbeOutput["format"]): VideoStream => {
  const stream = streams.find(({ width = 0, height = 0 }) => width > 0 && height > 0);
  const { index, width = 0, height = 0 } = stream ?? {};
  if (stream === undefined || index === undefined)
    return fail(
      "unreadable",
      "Expected a video with images of a positive size; this one has none.",
    );
  const matrix = stream.side_data_list?.find((data) => data.displaymatrix)?.displaymatrix;
  const seconds =
    secondsOf(stream.duration) ?? secondsOf(stream.tags?.DURATION) ?? secondsOf(format?.duration);
  const isHigh = stream.color_space === undefined && (width >= 1_280 || height > 576);
  return {
    index,
    size: withSquarePixels({ width, height }, stream.sample_aspect_ratio),
    orientation: orientationOf(matrix),
    ...(seconds === undefined ? {} : { seconds }),
    ...(isHigh && !isRgb(stream.pix_fmt) ? { highDefinition: true } : {}),
  };
};

/** The duration of a video by its last packets, in seconds; undefined where they do not show it. */
export const endOf = (text: string): number | undefined => {
  const { streams: [stream] = [], packets = [], format } = parsed(text);
  const begins = numberOf(format?.start_time) ?? 0;
  const later = stream?.has_b_frames ?? 0;
  let end = 0;
  for (const { pts_time, dts_time, duration_time } of packets) {
    const lasts = numberOf(duration_time) ?? 0;
    // A packet without a presentation time is shown as many images after its decoding time.
    const shown = numberOf(pts_time) ?? (numberOf(dts_time) ?? 0) + later * lasts;
    end = Math.max(end, shown + lasts - begins);
  }
  return believable(end);
};

const numberOf = (text: string | undefined): number | undefined => {
  const number = Number.parseFloat(text ?? "");
  return Number.isFinite(number) ? number : undefined;
};

const parsed = (text: string): ProbeOutput => {
  try {
    return (JSON.parse(text) ?? {}) as ProbeOutput;
  } catch (cause) {
    return fail(
      "unreadable",
      "Expected a video with a readable description of its streams.",
      cause,
    );
  }
};

/** Pixel formats without a colour matrix. */
const isRgb = (pixels = ""): boolean => /^(0?(rgb|bgr)|gbr|argb|abgr|gray|mono|pal8)/.test(pixels);

/** Both forms of durations: `5.04` and `00:00:05.04`. */
const secondsOf = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^[\d:.]{1,40}$/.test(text)) return undefined;
  const seconds = text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return believable(seconds);
};

const believable = (seconds: number): number | undefined =>
  seconds > 0 && seconds <= maxSeconds ? seconds : undefined;

/** Maximum credible duration: a year. */
const maxSeconds = 31_536_000;

/** Maximum credible pixel aspect ratio. */
const maxStretched = 4;

/** Non-square pixels are made square by enlarging one side, so that none are lost. */
export const withSquarePixels = ({ width, height }: Size, aspect = "1:1"): Size => {
  const [across = 1, down = 1] = aspect.split(":").map(Number);
  const ratio = across / down;
  if (!(ratio >= 1 / maxStretched && ratio <= maxStretched)) return { width, height };
  return ratio >= 1
    ? { width: round(width * ratio), height }
    : { width, height: round(height / ratio) };
};

/**
 * The rotation or flip nearest to a display matrix (ISO/IEC 14496-12, 6.2.2), as ffprobe prints it.
 */
export const orientationOf = (matrix: string | undefined): Orientation => {
  const rows = (matrix ?? "").split("\n").flatMap((line) => {
    const numbers = /^\d+:\s+(-?\d+)\s+(-?\d+)/.exec(line.trim());
    return numbers ? [[Number(numbers[1]), Number(numbers[2])] as const] : [];
  });
  const [[a, b] = [1, 0], [c, d] = [0, 1]] = rows;
  const isTurned = Math.abs(b) + Math.abs(c) > Math.abs(a) + Math.abs(d);
  return isTurned
    ? orientations.turned[b < 0 ? 1 : 0][c < 0 ? 1 : 0]
    : orientations.upright[a < 0 ? 1 : 0][d < 0 ? 1 : 0];
};

/** By the signs of the first and second significant numbers. */
const orientations = {
  upright: [
    [1, 4],
    [2, 3],
  ],
  turned: [
    [5, 6],
    [8, 7],
  ],
} as const;
