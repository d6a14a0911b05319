export { decodeBlock } from "./block";
export {
  interleaveThree,
  narrow,
  packBytes,
  packLongs,
  packShorts,
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
