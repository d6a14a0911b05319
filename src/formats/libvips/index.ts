export { createVipsDecoder, open } from "./decoder.ts";
export { readingFailed } from "./failure.ts";
export { finishedPicture } from "./finished-bytes.ts";
export { isReadAtHalf } from "./half.ts";
export { isPlain, type VipsInput } from "./input.ts";
export { rasterOf } from "./raster.ts";
export { allowStagedImages, prepareVips } from "./setup.ts";
