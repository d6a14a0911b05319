export {
  type Reduction,
  type RowTaker,
  reductionFor,
  reductionOf,
  type Samples,
  takeRows,
} from "./box-reduction.ts";
export { ByteCache } from "./byte-cache.ts";
export type {
  Codec,
  Decoder,
  Encoder,
  FileSize,
  LevelPart,
  Raster,
  Reading,
  ScaledPart,
  Sniff,
  Window,
} from "./codec.ts";
export { demandWriter, unwritten } from "./demand-writer.ts";
export type { Finished } from "./finished.ts";
export { Turn } from "./inline-time.ts";
export {
  type Lack,
  lackAdvice,
  lackText,
  libjxl,
  libvips,
  type Means,
  npmPackage,
  openjpeg,
  ours,
  switched,
} from "./library.ts";
export { orientationInXmp, orientationOf, uprightXmp } from "./orientation.ts";
export { missingPage, requirePage } from "./page.ts";
export type { Depth, Picture, Values } from "./pixels.ts";
export {
  extentOf,
  maxTaps,
  rememberedTaps,
  type Sampling,
  type Taps,
  tapsOf,
  unit,
} from "./scaling-weights.ts";
export { threadKeys, threadLimits, threadLimitsOf } from "./thread-limits.ts";
export { vipsTitles } from "./titles.ts";
