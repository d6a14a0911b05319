export { videos } from "./format.ts";
export { samples, type VideoFrames } from "./frames.ts";
export { videoKeys } from "./keys.ts";
export type { VideoSequence } from "./probe.ts";
export { findPrograms } from "./programs.ts";
export { videoFrames } from "./resources.ts";
