export { createVipsDecoder } from "./decoder.ts";
export { readingFailed } from "./failure.ts";
export { finishedPicture } from "./finished-bytes.ts";
export { isPlain, type VipsInput } from "./input.ts";
export { open } from "./opening.ts";
export { rasterOf } from "./raster.ts";
export { isReadAtHalf, loadedAt, maxShift, shiftOf } from "./reduced.ts";
export { allowStagedImages, prepareVips } from "./setup.ts";
