import { gatherMagnitudes } from "./bits";
import { maxNarrow, narrow, readNarrow, readWide, startMagnitudes, startRow, unsound } from "./magnitudes";
import { asScaled, asTheyAre, asWhole, placeRows, placeShorts } from "./placing";
import { prepareQuads, readQuads, startQuads } from "./quads";
import { groupQuads, propagate, refine } from "./refinement";

/** The length at the end of a segment has twelve bits, which bounds it (Rec. ITU-T T.814, 7.1). */
const maxShared: i32 = 4_079;

/** For both passes together (7.1), in bytes. */
const maxRefinement: i32 = 2_046;

/** Quads of a block, in rows followed by zeros. */
const quads: usize = memory.data(16_384 + 256, 16) + 16;
const groupsBytes: i32 = 2_048;
const groups: usize = memory.data(2 * groupsBytes, 16);

let isPrepared: bool = false;

// @ts-ignore: decorator
@inline
function strideOf(across: i32): usize {
  return <usize>(((across + 3) & ~3) + 4) << 2;
}

/** Starts a cleanup segment; returns whether it is valid so far. */
function begin(segment: usize, length: i32, width: i32): bool {
  if (!isPrepared) {
    prepareQuads();
    isPrepared = true;
  }
  if (length < 2) return false;
  const end = segment + length;
  const shared = (<i32>load<u8>(end - 1) << 4) | (<i32>load<u8>(end - 2) & 15);
  if (shared < 2 || shared > min<i32>(length, maxShared)) return false;
  const across = (width + 1) >> 1;
  startQuads(end - shared, end, across);
  startMagnitudes(gatherMagnitudes(segment, end - shared, width), across);
  return true;
}

/**
 * As `placeHtBlock`, for any kind of output; returns whether the segment is valid. Continues to row
 * `end` and, if `shorts` is not 0, also writes all rows up to there to `shorts` in 16 bits;
 * `maxBits` must then be at most `maxNarrow`.
 */
function place(
  segment: usize,
  length: i32,
  plane: i32,
  maxBits: i32,
  width: i32,
  left: i32,
  top: i32,
  columns: i32,
  rows: i32,
  to: usize,
  stride: usize,
  kind: i32,
  factor: f32,
  end: i32,
  shorts: usize,
): bool {
  const bottom = top + rows;
  const across = (width + 1) >> 1;
  const quadBytes = strideOf(across);
  const shortBytes = <usize>width << 1;
  let isSound = begin(segment, length, width);
  let row = quads;
  if (isSound) readQuads(row, quadBytes, across, true, false);
  for (let y = 0; y < end; y += 2, row += quadBytes) {
    if (isSound) {
      const form = startRow(row, across, min<i32>(maxBits, 30 - plane));
      isSound = form != unsound;
      const isNarrow = form == narrow;
      if (isSound && y + 2 < end) readQuads(row + quadBytes, quadBytes, across, false, isNarrow);
      else if (isNarrow) readNarrow(row, across);
      if (isSound && !isNarrow) readWide(row, across);
      if (isSound && y + 2 > top && y < bottom) {
        const upper: usize = y < top ? 0 : to + <usize>(y - top) * stride;
        const lower: usize = y + 1 >= bottom ? 0 : to + <usize>(y + 1 - top) * stride;
        placeRows(upper, lower, left, columns, isNarrow, kind, plane, factor);
      }
      if (isSound && shorts != 0) {
        const first = shorts + <usize>y * shortBytes;
        placeShorts(first, y + 1 < end ? first + shortBytes : 0, width, plane);
      }
    }
    if (!isSound) {
      for (let empty = max<i32>(y, top); empty < min<i32>(y + 2, bottom); empty++)
        memory.fill(to + <usize>(empty - top) * stride, 0, <usize>columns << 2);
      if (shorts != 0)
        memory.fill(shorts + <usize>y * shortBytes, 0, <usize>(min<i32>(y + 2, end) - y) * shortBytes);
    }
  }
  return isSound;
}

/**
 * Decodes the cleanup segment of an HT code-block (Rec. ITU-T T.814) of 1 to 1,024 by 1 to 1,024
 * and at most 4,096 coefficients, and writes `columns` x `rows` coefficients from column `left` and
 * row `top` on to `to`, in rows `stride` bytes apart. `segment` is the address of its `length`
 * bytes; `plane`, 0 to 28, its bit plane; `maxBits` the maximum bits of a coefficient, with its
 * sign. If `isWhole`, halves become 32-bit integers without loss, otherwise floating point, times
 * `half` of the quantizer's step. If the segment is corrupt, the remaining coefficients are 0.
 *
 * If `shorts` is not 0, the whole block of `height` rows is also written there, as `decodeHtBlock`
 * does, but in 16 bits, which its coefficients must fit: more than 14 bits mean a corrupt segment.
 * Up to 14 more bytes are written after the last.
 */
export function placeHtBlock(
  segment: usize,
  length: i32,
  plane: i32,
  maxBits: i32,
  width: i32,
  height: i32,
  left: i32,
  top: i32,
  columns: i32,
  rows: i32,
  to: usize,
  stride: usize,
  isWhole: bool,
  half: f32,
  shorts: usize,
): void {
  const kind = isWhole ? asWhole : asScaled;
  const factor = half * <f32>(1 << plane);
  const isKept = shorts != 0;
  const bits = isKept ? min<i32>(maxBits, maxNarrow) : maxBits;
  const end = isKept ? height : top + rows;
  place(segment, length, plane, bits, width, left, top, columns, rows, to, stride, kind, factor, end, shorts);
}

/**
 * Decodes one HT code-block into 32-bit numbers at `to`, row after row. Numbers are in halves, at
 * the midpoint of their uncertainty interval: a coefficient of magnitude m known down to bit plane
 * p is (2m + 1) << p, with its sign; insignificant ones are 0. At `from` are `length` bytes, at
 * `segments` `count` pairs of 32-bit numbers: bytes and passes of a segment. The first is the
 * cleanup segment; without it, all coefficients are 0. The others form the refinement segment,
 * however they were split, and are decoded as far as present. `plane` is the bit plane of the
 * cleanup pass, 0 to 28, and `maxBits` the maximum bits of a coefficient there, with its sign. If
 * the cleanup segment is corrupt, the remaining coefficients are 0 and none is refined.
 */
export function decodeHtBlock(
  from: usize,
  length: i32,
  segments: usize,
  count: i32,
  plane: i32,
  maxBits: i32,
  width: i32,
  height: i32,
  isCausal: bool,
  to: usize,
): void {
  let cleanup = count > 0 ? load<i32>(segments) : 0;
  if (<u32>cleanup > <u32>length) cleanup = 0;
  const rowBytes = <usize>width << 2;
  const isSound = place(from, cleanup, plane, maxBits, width, 0, 0, width, height, to, rowBytes, asTheyAre, 0, height, 0);
  let refinement: i32 = 0;
  let passes: i32 = 0;
  for (let segment = 1; segment < count; segment++) {
    const at = segments + (<usize>segment << 3);
    refinement = min<i32>(maxRefinement, refinement + min<i32>(maxRefinement, load<i32>(at)));
    passes = min<i32>(2, passes + load<i32>(at, 4));
  }
  refinement = min<i32>(refinement, length - cleanup);
  if (!isSound || refinement <= 0 || passes == 0 || plane == 0) return;
  const all = groups + groupsBytes;
  const groupStride = ((width + 3) >> 2) + 2;
  memory.fill(groups, 0, 2 * groupsBytes);
  groupQuads(quads, strideOf((width + 1) >> 1), width, height, groups, groupStride);
  const end = from + cleanup;
  const last = end + refinement;
  propagate(end, last, groups, all, groupStride, plane, width, height, isCausal, to);
  if (passes > 1) refine(end, last, groups, groupStride, plane, width, height, to);
}
