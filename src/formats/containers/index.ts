export { type Box, boxesIn } from "./boxes.ts";
export { ByteWindow } from "./byte-window.ts";
export {
  type ColourSpace,
  type ColourSpecification,
  colourSpaceOf,
  greySpace,
  rgbSpace,
} from "./colour-spaces.ts";
export { damaged, Fields } from "./fields.ts";
export { profileOf } from "./icc.ts";
export { boxOf, childIn, fullHead, head, type IsoBox, isoBoxesIn } from "./iso-boxes.ts";
export { checkJpegDepth } from "./jpeg-depth.ts";
export { bareJpeg, type StandaloneJpeg } from "./jpeg-file.ts";
export { profileIn } from "./jpeg-profile.ts";
export { type ScanComponent, type SequentialScan, scanIn } from "./jpeg-scan.ts";
export {
  adobeRgb,
  frameOf,
  headSegments,
  isApplication,
  jfif,
  markers,
  profileSegments,
  type Segment,
  withProfile,
} from "./jpeg-segments.ts";
export { isLosslessWebp } from "./lossy.ts";
export { skipTileLengths } from "./openjpeg-markers.ts";
export { barePng, pictureChunks } from "./png-file.ts";
export { areTextsLong, withoutTexts } from "./png-texts.ts";
export {
  brandsOf,
  hasTextAt,
  isAvif,
  isGif,
  isHeif,
  isJpeg,
  isPng,
  isTiff,
  isWebp,
  signatureBytes,
  startsWithBytes,
} from "./signatures.ts";
export { isSvg } from "./svg.ts";
export {
  extendedHead,
  hasExif,
  hasXmp,
  simpleWebp,
  webpHead,
  webpWithProfile,
} from "./webp-chunks.ts";
