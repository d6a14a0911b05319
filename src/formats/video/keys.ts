import { defineKeys } from "../../config/keys.ts";
import { decodingKeys } from "../shared/keys.ts";

/** Keys of reading videos and their limits. */
export const videoKeys = defineKeys({
  ...decodingKeys,
  "FfmpegProcessor.path_to_binaries": {
    type: "path",
    default: "",
    fileOnly: "program",
    doc: "Folder of the programs ffmpeg and ffprobe, which read videos; blank to search the PATH. Without them videos are not read.",
  },
  "processor.video.timeout": {
    type: "integer",
    default: 8,
    min: 1,
    max: 3600,
    doc: "Maximum seconds for ffmpeg to find and decode a frame of a video; processor.timeout, if that is less.",
  },
  "processor.video.max_memory_bytes": {
    type: "bytes",
    default: null,
    share: "video",
    min: 67_108_864,
    doc: "Maximum memory of one run of ffmpeg, beside the program itself; videos that need more are refused: one of 3840 x 2160 pixels takes about 250 MB. The limit holds for all of it where prlimit exists (Linux), elsewhere for each single allocation.",
  },
  "processor.video.threads": {
    type: "integer",
    default: 2,
    min: 1,
    max: 16,
    doc: "Number of decoding threads of one run of ffmpeg. More threads take more memory.",
  },
  "processor.video.max_running": {
    type: "integer",
    default: 2,
    min: 1,
    max: 64,
    doc: "Maximum number of concurrent runs of ffmpeg and ffprobe in each worker; others wait.",
  },
  "processor.video.max_copied_bytes": {
    type: "bytes",
    default: 268_435_456,
    doc: "Size of the largest video that is copied into a temporary file for ffmpeg if its source is not a local file; larger ones are refused. With cache.server.source, such videos are read from the copies cached there, whatever their size.",
  },
  "cache.server.frames.target_size": {
    type: "bytes",
    default: null,
    share: "frames",
    doc: "Memory in each worker, in bytes, for decoded frames of videos, which tiles are cut from; one frame may take up to a quarter. 0 for none: then every tile decodes its frame again.",
    restart: true,
  },
});
