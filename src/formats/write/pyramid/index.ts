export { type CarriedMetadata, carriedMetadata } from "./carried.ts";
export { tilesEncoder } from "./level-encoders.ts";
export { type PyramidSamples, withSamples } from "./samples.ts";
export {
  type FindReduced,
  type ReducedPage,
  type StagedPage,
  writeScaledPyramid,
} from "./scaled-pyramid.ts";
export { mappedStagingEncoder, mappedSuffix, stagingEncoder } from "./staging.ts";
export { createTileEncoder } from "./tile-encoders.ts";
export {
  isLossless,
  samplesFor,
  type TileEncoding,
  writtenByLibtiff,
} from "./tile-encoding.ts";
export { layingEncoder, stagedImage, writeVipsPyramid } from "./vips-pyramid.ts";
export { PyramidWriter } from "./writer.ts";
