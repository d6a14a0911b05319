import { readMagnitudes } from "./magnitudes";
import { readQuads } from "./quads";
import { groupQuads, propagate, refine } from "./refinement";

/** Segments end with their length in twelve bits, which bounds it (Rec. ITU-T T.814, 7.1). */
const mostShared: i32 = 4_079;

/** Of `scratch`; see `decodeHtBlock`. */
const exponentBytes: usize = 4_096;
const quadBytes: usize = 16_384;
const groupsBytes: usize = 2_048;

/**
 * Decodes one HT code-block (Rec. ITU-T T.814) of 1 to 1,024 by 1 to 1,024 and at most 4,096
 * coefficients into numbers of 32 bits at `to`, row after row. Numbers are in halves, and in the middle
 * of what they may be: a coefficient of magnitude m known down to bit plane p is (2m + 1) << p, with its
 * sign; nothing is 0.
 *
 * `segments` are the bytes of the cleanup segment, `cleanupLength` of them, and right behind it those
 * of the refinement segment. `passes` are 1 to 3: cleanup, significance propagation, magnitude
 * refinement. `plane` is the bit plane of the cleanup pass, 0 to 28. `codewords` are the 4,096 bytes
 * of the tables, `scratch` 24,576 bytes of anything.
 *
 * Answers 0; -1, and all coefficients 0, where the cleanup segment is damaged.
 */
export function decodeHtBlock(
  segments: usize,
  cleanupLength: i32,
  refinementLength: i32,
  passes: i32,
  plane: u32,
  width: i32,
  height: i32,
  causal: bool,
  to: usize,
  codewords: usize,
  scratch: usize,
): i32 {
  if (cleanupLength < 2) return empty(width, height, to);
  const end = segments + cleanupLength;
  const shared = (<i32>load<u8>(end - 1) << 4) | (<i32>load<u8>(end - 2) & 15);
  if (shared < 2 || shared > min<i32>(cleanupLength, mostShared))
    return empty(width, height, to);
  const across = (width + 1) >> 1;
  const down = (height + 1) >> 1;
  // Pairs of quads, and one of nothing on either side.
  const stride = ((across + 1) & ~1) + 2;
  const exponents = scratch;
  memory.fill(exponents, 0, (<usize>across + 2) << 2);
  memory.fill(exponents + exponentBytes, 0, (<usize>stride * (down + 1)) << 2);
  const quads = exponents + exponentBytes + (<usize>stride << 2);
  readQuads(end - shared, end, codewords, quads, stride, across, down);
  const magnitudes = end - shared;
  if (readMagnitudes(segments, magnitudes, quads, stride, exponents, plane, width, height, to) < 0)
    return empty(width, height, to);
  if (passes < 2 || plane === 0) return 0;
  const groups = exponents + exponentBytes + quadBytes;
  const all = groups + groupsBytes;
  const groupStride = ((width + 3) >> 2) + 2;
  memory.fill(groups, 0, 2 * groupsBytes);
  groupQuads(quads, stride, width, height, groups, groupStride);
  const last = end + refinementLength;
  propagate(end, last, groups, all, groupStride, plane, width, height, causal, to);
  if (passes > 2) refine(end, last, groups, groupStride, plane, width, height, to);
  return 0;
}

function empty(width: i32, height: i32, to: usize): i32 {
  memory.fill(to, 0, (<usize>width * height) << 2);
  return -1;
}
