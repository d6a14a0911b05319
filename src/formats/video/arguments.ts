import type { Size } from "../../core/geometry.ts";
import type { OpacityStream, VideoStream } from "./probe.ts";

/** A video as ffmpeg opens it. */
export interface VideoFile {
  /** Absolute. */
  readonly path: string;
  /** The demuxer for its bytes, whatever else they look like. */
  readonly demuxer: string;
}

/** Nothing but this file may be opened, and only by its demuxer. */
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

/** As `frameArguments`, for the last frame before that time. */
export const lastFrameArguments = (
  file: VideoFile,
  stream: VideoStream,
  second: number,
): readonly string[] => {
  const sought = Math.max(0, second - longestLast);
  const stands = `tpad=stop_mode=clone:stop_duration=${second - sought + 1}`;
  return [...opening(file, sought), ...oneFrame(stream, second - sought, [stands])];
};

/** Seconds before the requested time at which to start looking for the last frame. */
const longestLast = 20;

export const opening = (file: VideoFile, sought: number): readonly string[] => [
  "-nostdin",
  "-noautorotate",
  ...seek(sought),
  ...inputArguments(file),
];

/** Writes one frame, so many seconds after the seek position, as red, green and blue. */
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

/** Writes the luma of one frame in 8 bits, scaled to a size, in its stored range. */
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
 * The second up to which nothing is decoded: MPEG streams have no index, so seeking is approximate.
 */
const soughtFor = ({ demuxer }: VideoFile, second: number): number => {
  if (demuxer === "mpegvideo") return 0;
  return demuxer === "mpeg" ? Math.max(0, second - runUp) : second;
};

/** Seconds that contain a keyframe and a timestamp. */
export const runUp = 5;

/** Exact colour conversion rather than a fast one. */
const scaling = "bicubic+accurate_rnd+full_chroma_int+full_chroma_inp";
