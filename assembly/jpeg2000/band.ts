// The blocks of a band: decoded or taken from a cache, and placed in the band.

import { decodeBlock } from "./block";
import { narrow, placeLongs, placeShorts, unshift, widen } from "./coefficients";
import { decodeHtBlock, placeHtBlock } from "./ht/block";

// Offsets of the fields of a block's description, each of 32 bits (job.ts).
const blockX: usize = 0;
const blockY: usize = 4;
const blockWidth: usize = 8;
const blockHeight: usize = 12;
const zeroPlanes: usize = 16;
const blockBytes: usize = 20;
const blockLength: usize = 24;
const firstSegment: usize = 28;
const segmentCount: usize = 32;
const cachedAt: usize = 36;
const isCached: usize = 40;
const coefficientBytes: usize = 44;
const descriptionBytes: usize = 48;

// Code-block styles of table A.19 and of Rec. ITU-T T.814, table A.13.
const causal: i32 = 8;
const highThroughput: i32 = 64;

/** Bit planes that fit into 32 bits, with a sign and a half. */
const maxPlanes: i32 = 30;

/** A decoded block in 32-bit numbers, and room for whole vectors. */
const whole: usize = memory.data(4_096 * 4 + 32, 16);

/**
 * Clears a band of `width` x `height` 32-bit numbers at `to` where its `count` blocks, described at
 * `blocks`, do not cover all of it; else only what follows the numbers in each row.
 */
export function clearUncovered(blocks: usize, count: i32, to: usize, stride: usize, width: i32, height: i32): void {
  let covered: i64 = 0;
  for (let block = 0; block < count; block++, blocks += descriptionBytes) {
    const x = load<i32>(blocks, blockX);
    const y = load<i32>(blocks, blockY);
    const across = min<i32>(x + load<i32>(blocks, blockWidth), width) - max<i32>(0, x);
    const down = min<i32>(y + load<i32>(blocks, blockHeight), height) - max<i32>(0, y);
    covered += <i64>max<i32>(0, across) * <i64>max<i32>(0, down);
  }
  if (covered < <i64>width * <i64>height) {
    memory.fill(to, 0, stride * height);
    return;
  }
  const used = <usize>width << 2;
  if (stride == used) return;
  for (let row = 0; row < height; row++, to += stride)
    for (let x = used; x < stride; x += 4) store<i32>(to + x, 0);
}

/**
 * Places `count` blocks, described at `blocks`, in a band of `width` x `height` 32-bit numbers at
 * `to`, in rows `stride` bytes apart: integers if `isWhole`, otherwise floating point, times `half`
 * of the quantizer's step. `bytes` and `segments` are the addresses of the blocks' bytes and
 * segments; `band` is 0 LL, 1 HL, 2 LH, 3 HH; `shift` that of a region of interest. Cached blocks
 * are read at the address that their descriptions state, in halves; of the others, those that state
 * an address are stored there whole, with up to 14 more bytes after them. Blocks have at most 4,096
 * coefficients and 1,024 a side, and HT blocks at most 29 bit planes.
 */
export function placeBlocks(
  blocks: usize,
  count: i32,
  bytes: usize,
  segments: usize,
  to: usize,
  stride: usize,
  width: i32,
  height: i32,
  band: i32,
  magnitudeBits: i32,
  style: i32,
  shift: i32,
  isWhole: bool,
  half: f32,
): void {
  touchCached(blocks, count, height);
  for (let block = 0; block < count; block++, blocks += descriptionBytes) {
    const x = load<i32>(blocks, blockX);
    const y = load<i32>(blocks, blockY);
    let left = max<i32>(0, -x);
    let top = max<i32>(0, -y);
    const right = max<i32>(0, x);
    const below = max<i32>(0, y);
    let columns = min<i32>(load<i32>(blocks, blockWidth) - left, width - right);
    let rows = min<i32>(load<i32>(blocks, blockHeight) - top, height - below);
    if (columns <= 0 || rows <= 0) left = top = columns = rows = 0;
    const at = to + <usize>below * stride + (<usize>right << 2);
    if (load<i32>(blocks, isCached) != 0)
      placeCached(blocks, left, top, columns, rows, at, stride, shift, isWhole, half);
    else {
      const from = bytes + load<i32>(blocks, blockBytes);
      const list = segments + (<usize>load<i32>(blocks, firstSegment) << 3);
      const isHt = (style & highThroughput) != 0;
      if (isHt && shift == 0 && isDirect(blocks))
        placeHt(blocks, from, list, magnitudeBits, left, top, columns, rows, at, stride, isWhole, half);
      else {
        if (isHt) decodeHt(blocks, from, list, magnitudeBits, style);
        else decode(blocks, from, list, magnitudeBits, style, band);
        keep(blocks);
        placeDecoded(blocks, left, top, columns, rows, at, stride, shift, isWhole, half);
      }
    }
  }
}

/**
 * Reads a number of each kilobyte that a band of so many rows needs of cached blocks. The blocks lie
 * far apart: processors wait for all of these numbers at once, and later for each block anew.
 */
function touchCached(blocks: usize, count: i32, height: i32): void {
  for (let block = 0; block < count; block++, blocks += descriptionBytes) {
    if (load<i32>(blocks, isCached) == 0) continue;
    const y = load<i32>(blocks, blockY);
    const row = load<i32>(blocks, blockWidth) * load<i32>(blocks, coefficientBytes);
    const top = max<i32>(0, -y);
    const rows = min<i32>(load<i32>(blocks, blockHeight) - top, height - max<i32>(0, y));
    const from = <usize>load<i32>(blocks, cachedAt) + <usize>(top * row);
    for (let byte = 0; byte < rows * row; byte += 1_024) load<i32>(from + byte);
  }
}

/** Whether a block is of one segment, and of 16 bits if it is to be stored. */
// @ts-ignore: decorator
@inline
function isDirect(block: usize): bool {
  if (load<i32>(block, segmentCount) != 1) return false;
  return load<i32>(block, cachedAt) < 0 || load<i32>(block, coefficientBytes) == 2;
}

function placeCached(
  block: usize,
  left: i32,
  top: i32,
  columns: i32,
  rows: i32,
  to: usize,
  stride: usize,
  shift: i32,
  isWhole: bool,
  half: f32,
): void {
  const from = <usize>load<i32>(block, cachedAt);
  const across = load<i32>(block, blockWidth);
  const size = load<i32>(block, coefficientBytes);
  if (shift > 0) {
    const count = across * load<i32>(block, blockHeight);
    if (size == 2) widen(whole, from, count);
    else memory.copy(whole, from, <usize>count << 2);
    placeDecoded(block, left, top, columns, rows, to, stride, shift, isWhole, half);
    return;
  }
  const row = <usize>(across * size);
  const first = from + <usize>top * row + <usize>(left * size);
  if (size == 2) placeShorts(to, stride, first, row, columns, rows, isWhole, half);
  else placeLongs(to, stride, first, row, columns, rows, isWhole, half);
}

/** Decodes a block of a cleanup segment alone directly into its band, no further down than needed. */
function placeHt(
  block: usize,
  from: usize,
  segments: usize,
  magnitudeBits: i32,
  left: i32,
  top: i32,
  columns: i32,
  rows: i32,
  to: usize,
  stride: usize,
  isWhole: bool,
  half: f32,
): void {
  const missing = load<i32>(block, zeroPlanes);
  const plane = magnitudeBits - 1 - missing;
  const cleanup = load<i32>(segments);
  // An incomplete one is not decoded, and is all zero.
  const length = plane < 0 || cleanup > load<i32>(block, blockLength) ? 0 : cleanup;
  placeHtBlock(
    from,
    length,
    max<i32>(0, plane),
    missing + 2,
    load<i32>(block, blockWidth),
    load<i32>(block, blockHeight),
    left,
    top,
    columns,
    rows,
    to,
    stride,
    isWhole,
    half,
    <usize>max<i32>(0, load<i32>(block, cachedAt)),
  );
}

/**
 * Decodes an HT block (Rec. ITU-T T.814 | ISO/IEC 15444-15) to `whole`. A coefficient of the cleanup
 * pass has two bits more than bit planes are missing, its sign included; OpenJPEG and OpenJPH accept
 * no more, either.
 */
function decodeHt(block: usize, from: usize, segments: usize, magnitudeBits: i32, style: i32): void {
  const missing = load<i32>(block, zeroPlanes);
  const plane = magnitudeBits - 1 - missing;
  const width = load<i32>(block, blockWidth);
  const height = load<i32>(block, blockHeight);
  if (plane < 0) {
    memory.fill(whole, 0, <usize>(width * height) << 2);
    return;
  }
  const length = load<i32>(block, blockLength);
  const count = load<i32>(block, segmentCount);
  decodeHtBlock(from, length, segments, count, plane, missing + 2, width, height, (style & causal) != 0, whole);
}

/**
 * Decodes a block of Part 1 (ISO/IEC 15444-1, annexes C and D) to `whole`; one with more bit planes
 * than 32 bits can hold is all zero.
 */
function decode(block: usize, from: usize, segments: usize, magnitudeBits: i32, style: i32, band: i32): void {
  const planes = magnitudeBits - load<i32>(block, zeroPlanes);
  const width = load<i32>(block, blockWidth);
  const height = load<i32>(block, blockHeight);
  const count = load<i32>(block, segmentCount);
  if (planes < 1 || planes > maxPlanes || count == 0) {
    memory.fill(whole, 0, <usize>(width * height) << 2);
    return;
  }
  decodeBlock(from, load<i32>(block, blockLength), segments, count, width, height, band, planes, style, whole);
}

/** Stores the block in `whole` where its description says. */
function keep(block: usize): void {
  const kept = load<i32>(block, cachedAt);
  if (kept < 0) return;
  const count = load<i32>(block, blockWidth) * load<i32>(block, blockHeight);
  if (load<i32>(block, coefficientBytes) == 2) narrow(<usize>kept, whole, count);
  else memory.copy(<usize>kept, whole, <usize>count << 2);
}

/** Places a part of the block in `whole` in its band. */
function placeDecoded(
  block: usize,
  left: i32,
  top: i32,
  columns: i32,
  rows: i32,
  to: usize,
  stride: usize,
  shift: i32,
  isWhole: bool,
  half: f32,
): void {
  const width = load<i32>(block, blockWidth);
  if (shift > 0) unshift(whole, width * load<i32>(block, blockHeight), min<i32>(shift, 29));
  const from = whole + (<usize>(top * width + left) << 2);
  const row = <usize>width << 2;
  placeLongs(to, stride, from, row, columns, rows, isWhole, half);
}
