export { type Codestreams, codestreamsInThreads, sharedPart } from "./codestreams.ts";
export { bytesOf, readFile, readMetadata } from "./file.ts";
export { type Jp2Level, levelRegion, type StoredLevels, sufficient } from "./levels.ts";
export {
  decodePart,
  encodePart,
  isReady,
  type OpenJpeg2000,
  openFile,
  openFurtherCodestreams,
  pixelsOf,
  surveyPart,
} from "./opened.ts";
export { orientationIn } from "./orientation.ts";
export type { RegionPixels } from "./pixel-cache.ts";
export { codestreams, decodedPixels, sharedBlockMemory } from "./resources.ts";
export {
  type Drawing,
  type DrawingMeans,
  recodeLevel,
  scaleLevel,
  whyNotRecoded,
} from "./threads.ts";
export { sourcesOf } from "./values.ts";
