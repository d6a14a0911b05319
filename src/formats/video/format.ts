import type { FormatFacts } from "../../core/formats.ts";
import { brandsOf, hasTextAt, startsWithBytes } from "../containers/index.ts";
import type { Format } from "../record/index.ts";
import type { VideoFormat } from "./decoder.ts";
import { videoKeys } from "./keys.ts";
import { ffmpeg } from "./programs.ts";

/** A video container that FFmpeg reads: the frame at a second is an image. */
const video = (
  name: VideoFormat,
  matches: (start: Buffer) => boolean,
  facts: Pick<FormatFacts, "name" | "extensions" | "mediaTypes">,
): Format => ({
  name,
  facts: { ...facts, alpha: false, maxSide: 0 },
  signature: { matches },
  reader: ffmpeg,
  isOptional: true,
  keys: videoKeys,
  createDecoder: async (resources) => {
    const { videoFrames } = await import("./resources.ts");
    const { createVideoDecoder } = await import("./decoder.ts");
    const settings = resources.config.view(videoKeys);
    return createVideoDecoder(name, settings, resources.get(videoFrames));
  },
});

/** The video containers; MP4 comes after still images whose files also have brands. */
export const videos: readonly Format[] = [
  video("avi", (start) => hasTextAt(start, 0, "RIFF") && hasTextAt(start, 8, "AVI "), {
    name: "AVI",
    extensions: ["avi"],
    mediaTypes: ["video/avi", "video/msvideo", "video/x-msvideo"],
  }),
  video("flv", (start) => hasTextAt(start, 0, "FLV\u0001"), {
    name: "Flash Video",
    extensions: ["flv"],
    mediaTypes: ["video/x-flv"],
  }),
  video("mov", (start) => isMov(start), {
    name: "QuickTime",
    extensions: ["mov", "qt"],
    mediaTypes: ["video/quicktime", "video/x-quicktime"],
  }),
  video("mp4", (start) => brandsOf(start).length > 0, {
    name: "MP4",
    extensions: ["mp4", "m4v", "f4v"],
    mediaTypes: ["video/mp4"],
  }),
  video(
    "mpg",
    (start) => startsWithBytes(start, 0, 0, 1, 0xba) || startsWithBytes(start, 0, 0, 1, 0xb3),
    {
      name: "MPEG",
      extensions: ["mpg", "mpeg"],
      mediaTypes: ["video/mpeg"],
    },
  ),
  // Matroska, including WebM (RFC 9559).
  video("webm", (start) => startsWithBytes(start, 0x1a, 0x45, 0xdf, 0xa3), {
    name: "WebM",
    extensions: ["webm", "mkv"],
    mediaTypes: ["video/webm", "video/x-matroska"],
  }),
];

const isMov = (start: Buffer): boolean =>
  brandsOf(start)[0] === "qt  " || movAtoms.some((atom) => hasTextAt(start, 4, atom));

/** Box types that QuickTime files older than brands may begin with. */
const movAtoms = ["moov", "mdat", "wide", "free", "skip", "pnot"];
