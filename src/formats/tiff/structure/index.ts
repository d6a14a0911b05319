export { type AssembledField, type Assembly, assembleTiff } from "./assembly.ts";
export { TiffBytes } from "./bytes.ts";
export type { CachedParts } from "./cached-parts.ts";
export { type ListRange, readBytes, readNumbers, type TiffFile } from "./directory.ts";
export { carriedFields, shortField } from "./fields.ts";
export {
  colourSamples,
  decodedBytes,
  hasAlpha,
  type SampleLayout,
  sampleLayoutOf,
} from "./layout.ts";
export { levelRegion, sufficient } from "./levels.ts";
export { longs, numbersOf, plainBytes, shorts, types } from "./new-fields.ts";
export { readOutline } from "./outline.ts";
export { readPages, type StoredLevel, type StoredPage } from "./pages.ts";
export { cachedNumber, listed, TiffStructureCache } from "./structure-cache.ts";
export {
  compressionNames,
  compressions,
  decodedPhotometric,
  isOfNumbers,
  photometrics,
  tags,
} from "./tags.ts";
export { TileHead } from "./tile-head.ts";
export { readTiff } from "./walk.ts";
