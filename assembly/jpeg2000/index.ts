import { codewords } from "./ht/quads";

export { decodeBlock } from "./block";
export { decodeHtBlock, placeHtBlock } from "./ht/block";
export {
  narrow,
  packBytes,
  packLongs,
  packShorts,
  pixelsOfThree,
  placeScaled,
  placeWhole,
  spreadBytes,
  toLevels,
  toRgbScaled,
  toRgbWhole,
  unshift,
  widen,
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
