export { reducedImageFor } from "./choice.ts";
export { type JpegReducer, jpegReduction, reducerWith } from "./threads.ts";
