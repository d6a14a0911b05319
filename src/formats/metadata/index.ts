export { scanAvif } from "./avif.ts";
export { readItems, readLocations } from "./avif-items.ts";
export { gpsNames, imageNames, photoNames, pointerTags, type TagNames } from "./exif-names.ts";
export { Findings, largest, longestText } from "./findings.ts";
export { scanGif } from "./gif.ts";
export { type MetadataHash, readMetadataHash } from "./hashes.ts";
export { decodedDatasets } from "./iptc.ts";
export { scanJpeg } from "./jpeg.ts";
export { scanJpeg2000 } from "./jpeg2000.ts";
export { scanJpegXl } from "./jpegxl.ts";
export { createProfileThreads } from "./jpegxl-profile.ts";
export { scanPng } from "./png.ts";
export { type Blocks, readBlocks, readMetadata } from "./read.ts";
export type { MetadataReaders } from "./readers.ts";
export { bytesAt, keepBlock, type MetadataScan, type Scan } from "./scan.ts";
export { scanTiff } from "./tiff.ts";
export {
  fieldBytes,
  fieldNumbers,
  memorySource,
  openExif,
  openTiff,
  pointerOf,
  readDirectory,
  type TiffDirectory,
  type TiffField,
  type TiffLayout,
  type TiffSource,
  valueSizes,
  wholeFile,
} from "./tiff-structure.ts";
export type { IccProfile, Metadata, NativeField, Value } from "./values.ts";
export { scanWebp } from "./webp.ts";
export { isRdf, packetOf } from "./xmp.ts";
