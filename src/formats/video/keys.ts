import { defineKeys } from "../../config/keys.ts";
import { decodingKeys } from "../shared/keys.ts";

/** What videos are read with, and within which bounds. */
export const videoKeys = defineKeys({
  ...decodingKeys,
  "FfmpegProcessor.path_to_binaries": {
    type: "path",
    default: "",
    fileOnly: "program",
    doc: "Folder of the programs ffmpeg and ffprobe, by which videos are read; where it is blank they are looked for in the PATH. Without them videos are not read.",
  },
  "processor.video.timeout": {
    type: "integer",
    default: 8,
    min: 1,
    max: 3600,
    doc: "Longest time in seconds that ffmpeg may take to find a frame of a video and decode it; processor.timeout, where that is less.",
  },
  "processor.video.max_memory_bytes": {
    type: "bytes",
    default: null,
    share: "video",
    min: 67_108_864,
    doc: "Most memory that one run of ffmpeg may have for itself, beside the program; a video that needs more is refused: one of 3840 x 2160 pixels takes some 250 MB. All of it is bounded where there is prlimit (Linux), elsewhere each single piece of it.",
  },
  "processor.video.threads": {
    type: "integer",
    default: 2,
    min: 1,
    max: 16,
    doc: "How many threads one run of ffmpeg decodes with. More of them take more memory.",
  },
  "processor.video.max_running": {
    type: "integer",
    default: 2,
    min: 1,
    max: 64,
    doc: "How many runs of ffmpeg and ffprobe there may be at a time, in each worker; others wait.",
  },
  "processor.video.max_copied_bytes": {
    type: "bytes",
    default: 268_435_456,
    doc: "The largest video that is copied into a temporary file for ffmpeg, where its source is no local file; larger ones are refused. With cache.server.source such videos are read from the copies kept there, whatever their size.",
  },
  "cache.server.frames.target_size": {
    type: "bytes",
    default: null,
    share: "frames",
    doc: "How many bytes may be taken, in each worker, by decoded frames of videos, whose tiles are cut from them; one frame may take up to a quarter of it. 0 for none: then every tile means decoding its frame anew.",
    restart: true,
  },
});
