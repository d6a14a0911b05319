export { createVipsDecoder, open } from "./decoder.ts";
export { readingFailed } from "./failure.ts";
export { type Input, isPlain } from "./input.ts";
export { rasterOf } from "./raster.ts";
export { prepareVips } from "./setup.ts";
export { vipsTitles } from "./titles.ts";
