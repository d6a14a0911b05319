export { inflate } from "./deflate/inflate";
export { undoDifferences } from "./differences";
export { crc64, undoDelta } from "./lzma/filters";
export { endOfLzma2, unlzma2 } from "./lzma/lzma2";
export { undoLzw } from "./lzw";
export { dropFourth } from "./opaque";
export { unzstd } from "./zstandard/frames";

/** The start of the memory available to callers. */
export function base(): usize {
  return __heap_base;
}
