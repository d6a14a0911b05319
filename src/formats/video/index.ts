export { samples, type VideoFrames } from "./frames.ts";
export type { VideoSequence } from "./probe.ts";
export { findPrograms } from "./programs.ts";
export { videoFrames } from "./resources.ts";
