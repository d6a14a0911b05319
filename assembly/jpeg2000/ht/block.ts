import { gatherMagnitudes } from "./bits";
import { mostNarrow, narrow, readNarrow, readWide, startMagnitudes, startRow, unsound } from "./magnitudes";
import { asScaled, asTheyAre, asWhole, placeRows, placeShorts } from "./placing";
import { prepareQuads, readQuads, startQuads } from "./quads";
import { groupQuads, propagate, refine } from "./refinement";

/** Segments end with their length in twelve bits, which bounds it (Rec. ITU-T T.814, 7.1). */
const mostShared: i32 = 4_079;

/** Of both passes together (7.1), in bytes. */
const mostRefinement: i32 = 2_046;

/** Quads of a block, in rows with zeros behind them. */
const quads: usize = memory.data(16_384 + 256, 16) + 16;
const groupsBytes: i32 = 2_048;
const groups: usize = memory.data(2 * groupsBytes, 16);

let isPrepared: bool = false;

// @ts-ignore: decorator
@inline
function strideOf(across: i32): usize {
  return <usize>(((across + 3) & ~3) + 4) << 2;
}

/** Begins with a cleanup segment; answers whether it is sound so far. */
function begin(segment: usize, length: i32, width: i32): bool {
  if (!isPrepared) {
    prepareQuads();
    isPrepared = true;
  }
  if (length < 2) return false;
  const end = segment + length;
  const shared = (<i32>load<u8>(end - 1) << 4) | (<i32>load<u8>(end - 2) & 15);
  if (shared < 2 || shared > min<i32>(length, mostShared)) return false;
  const across = (width + 1) >> 1;
  startQuads(end - shared, end, across);
  startMagnitudes(gatherMagnitudes(segment, end - shared, width), across);
  return true;
}

/**
 * As `placeHtBlock`, of numbers of any kind; answers whether the segment is sound. Goes on to row
 * `end`, and puts all up to there at `shorts` as well, in 16 bits, where that is not 0; `most` is
 * no more than `mostNarrow` then.
 */
function place(
  segment: usize,
  length: i32,
  plane: i32,
  most: i32,
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
      const form = startRow(row, across, min<i32>(most, 30 - plane));
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
 * and at most 4,096 coefficients, and puts what is from column `left` and row `top` on, `columns` x
 * `rows` coefficients, at `to`, in rows `stride` bytes apart. `segment` are its bytes, `length` of
 * them; `plane`, 0 to 28, its bit plane, and `most` the bits a coefficient has at most, with its
 * sign. Where `isWhole`, halves become whole numbers of 32 bits without loss, else floating point,
 * times `half` of the quantizer's step. Where the segment is damaged, the coefficients from there
 * on are 0.
 */
export function placeHtBlock(
  segment: usize,
  length: i32,
  plane: i32,
  most: i32,
  width: i32,
  left: i32,
  top: i32,
  columns: i32,
  rows: i32,
  to: usize,
  stride: usize,
  isWhole: bool,
  half: f32,
): void {
  const kind = isWhole ? asWhole : asScaled;
  const factor = half * <f32>(1 << plane);
  place(segment, length, plane, most, width, left, top, columns, rows, to, stride, kind, factor, top + rows, 0);
}

/**
 * As `placeHtBlock`, and puts the whole block of `height` rows at `shorts` as `decodeHtBlock` does,
 * but in 16 bits, which its coefficients have to fit: one of more than 14 bits is damage. Up to 14
 * bytes more are written behind the last.
 */
export function placeKeptHtBlock(
  segment: usize,
  length: i32,
  plane: i32,
  most: i32,
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
  const fewer = min<i32>(most, mostNarrow);
  place(segment, length, plane, fewer, width, left, top, columns, rows, to, stride, kind, factor, height, shorts);
}

/**
 * Decodes one HT code-block into numbers of 32 bits at `to`, row after row. Numbers are in halves,
 * and in the middle of what they may be: a coefficient of magnitude m known down to bit plane p is
 * (2m + 1) << p, with its sign; nothing is 0. At `from` are `length` bytes, at `segments` `count`
 * pairs of 32 bits: bytes and passes of a segment. The first is the cleanup segment, without which
 * all is 0. The others are the refinement segment, of which what is there counts, however it was
 * cut up. `plane` is the bit plane of the cleanup pass, 0 to 28, and `most` the bits a coefficient
 * has at most there, with its sign. Where the cleanup segment is damaged, the coefficients from
 * there on are 0, and none is refined.
 */
export function decodeHtBlock(
  from: usize,
  length: i32,
  segments: usize,
  count: i32,
  plane: i32,
  most: i32,
  width: i32,
  height: i32,
  isCausal: bool,
  to: usize,
): void {
  let cleanup = count > 0 ? load<i32>(segments) : 0;
  if (<u32>cleanup > <u32>length) cleanup = 0;
  const rowBytes = <usize>width << 2;
  const isSound = place(from, cleanup, plane, most, width, 0, 0, width, height, to, rowBytes, asTheyAre, 0, height, 0);
  let refinement: i32 = 0;
  let passes: i32 = 0;
  for (let segment = 1; segment < count; segment++) {
    const at = segments + (<usize>segment << 3);
    refinement = min<i32>(mostRefinement, refinement + min<i32>(mostRefinement, load<i32>(at)));
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
