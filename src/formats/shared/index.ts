export {
  type ReducedSamples,
  type Reduction,
  type RowTaker,
  reductionFor,
  reductionOf,
  takeRows,
} from "./box-reduction.ts";
export { ByteCache } from "./byte-cache.ts";
export type {
  Codec,
  Decoder,
  DecodingOptions,
  Encoder,
  FileSize,
  FinalPart,
  LevelPart,
  PlainPixels,
  Raster,
  ScaledPart,
  Sniff,
  Window,
} from "./codec.ts";
export { demandWriter, unwritten } from "./demand-writer.ts";
export type { FinishedImage } from "./finished.ts";
export { InlineTime } from "./inline-time.ts";
export {
  type Lack,
  type Library,
  lackAdvice,
  lackText,
  libjxl,
  libvips,
  npmPackage,
  openjpeg,
  ours,
  switched,
} from "./library.ts";
export { orientationInXmp, orientationOf, uprightXmp } from "./orientation.ts";
export { missingPage, requirePage } from "./page.ts";
export type { DecodedPixels, Depth, Values } from "./pixels.ts";
export {
  cachedTaps,
  extentOf,
  maxTaps,
  type Sampling,
  type Taps,
  tapsOf,
  unit,
} from "./scaling-weights.ts";
export { threadKeys, threadLimits, threadLimitsOf } from "./thread-limits.ts";
export { vipsTitles } from "./titles.ts";
