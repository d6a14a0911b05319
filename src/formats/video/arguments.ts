import type { Size } from "../../core/geometry.ts";
import type { OpacityStream, VideoStream } from "./probe.ts";

/** A video as ffmpeg is to open it. */
export interface VideoFile {
  /** Absolute. */
  readonly path: string;
  /** The demuxer that takes its bytes, whatever they look like to others. */
  readonly demuxer: string;
}

/** Nothing but this file may be opened, and as nothing but what it is. */
export const inputArguments = ({ path, demuxer }: VideoFile): readonly string[] => [
  "-protocol_whitelist",
  "file",
  "-format_whitelist",
  demuxer,
  "-f",
  demuxer,
  "-i",
  `file:${path}`,
];

export const frameArguments = (
  file: VideoFile,
  stream: VideoStream,
  second: number,
): readonly string[] => {
  const sought = soughtFor(file, second);
  return [...opening(file, sought), ...oneFrame(stream, second - sought, [])];
};

/** As `frameArguments`, of the frame that is the last one by then. */
export const lastFrameArguments = (
  file: VideoFile,
  stream: VideoStream,
  second: number,
): readonly string[] => {
  const sought = Math.max(0, second - longestLast);
  const stands = `tpad=stop_mode=clone:stop_duration=${second - sought + 1}`;
  return [...opening(file, sought), ...oneFrame(stream, second - sought, [stands])];
};

/** How many seconds before the one that is wanted the last frame is looked for. */
const longestLast = 20;

export const opening = (file: VideoFile, sought: number): readonly string[] => [
  "-nostdin",
  "-noautorotate",
  ...seek(sought),
  ...inputArguments(file),
];

/** Writes one frame, so many seconds behind what was sought, as red, green and blue. */
export const oneFrame = (
  { index, size, highDefinition }: VideoStream,
  later: number,
  filters: readonly string[],
): readonly string[] =>
  written(index, later, [
    ...filters,
    `scale=w=${size.width}:h=${size.height}:flags=${scaling}${highDefinition ? ":in_color_matrix=bt709" : ""}`,
    "format=rgb24",
  ]);

/** Writes the luma of one frame in 8 bits, scaled to a size, in the range that it is stored in. */
export const lumaOfFrame = (
  { index }: OpacityStream,
  { width, height }: Size,
  filters: readonly string[],
): readonly string[] =>
  written(index, 0, [
    ...filters,
    "extractplanes=y",
    `scale=w=${width}:h=${height}:flags=${scaling}:in_range=full:out_range=full`,
    "format=gray",
  ]);

const written = (index: number, later: number, filters: readonly string[]): readonly string[] => [
  "-map",
  `0:${index}`,
  ...seek(later),
  "-frames:v",
  "1",
  "-vf",
  filters.join(","),
  "-c:v",
  "rawvideo",
  "-f",
  "rawvideo",
  "pipe:1",
];

const seek = (seconds: number): readonly string[] => (seconds > 0 ? ["-ss", `${seconds}`] : []);

/**
 * The second up to which nothing is decoded: streams of MPEG have no index, so what is sought is
 * only near.
 */
const soughtFor = ({ demuxer }: VideoFile, second: number): number => {
  if (demuxer === "mpegvideo") return 0;
  return demuxer === "mpeg" ? Math.max(0, second - runUp) : second;
};

/** Seconds that hold an image which needs no other, and a time to count from. */
export const runUp = 5;

/** The whole of the colours, to the last bit, rather than quickly. */
const scaling = "bicubic+accurate_rnd+full_chroma_int+full_chroma_inp";
