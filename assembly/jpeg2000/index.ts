import { codewords } from "./ht/quads";

export { decodeBlock } from "./block";
export {
  clearBeside,
  narrow,
  placeScaled,
  placeScaledShorts,
  placeWhole,
  placeWholeShorts,
  unshift,
  widen,
} from "./coefficients";
export { decodeHtBlock, placeHtBlock, placeKeptHtBlock } from "./ht/block";
export {
  packBytes,
  packLongs,
  packShorts,
  pixelsOfThree,
  spreadBytes,
  toLevels,
  toRgbScaled,
  toRgbWhole,
} from "./samples";
export { synthesize } from "./wavelet";

/** Where memory begins that is the callers'. */
export function base(): usize {
  return __heap_base;
}

/** Where the 4,096 bytes of the codewords of HT blocks have to be put before any is decoded. */
export function codewordTable(): usize {
  return codewords;
}

/** Fills `bytes` bytes with zeros. */
export function clear(at: usize, bytes: i32): void {
  memory.fill(at, 0, bytes);
}
