import { codewords } from "./ht/quads";

export { clearUncovered, placeBlocks } from "./band";
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

/** The start of the memory available to callers. */
export function base(): usize {
  return __heap_base;
}

/**
 * The address of the table of 4,096 bytes for the codewords of HT blocks, which the caller must
 * fill before the first is decoded.
 */
export function codewordTable(): usize {
  return codewords;
}
