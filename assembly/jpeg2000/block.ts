// The three coding passes of a code-block (ISO/IEC 15444-1, annex D).

import {
  contexts,
  decide,
  prepareArithmetic,
  rawBit,
  resetContexts,
  runContext,
  startArithmetic,
  startRaw,
  uniformContext,
} from "./arithmetic";
import {
  anyCoded,
  anyRow,
  anySignificant,
  around,
  coded,
  freeRows,
  here,
  prepareContexts,
  refined,
  rowsNearSignificant,
  rowsToRefine,
  signContexts,
  signFlips,
  significance,
  signsOf,
} from "./contexts";

// Code-block styles of table A.19.
const bypass: u32 = 1;
const reset: u32 = 2;
const causal: u32 = 8;
const segmentSymbols: u32 = 32;

/**
 * One word per column of each stripe, with a spare column on both sides and a spare stripe above
 * and below.
 */
const maxWords = (4096 / 4 + 2 * 1024 + 4 + 2 * 256) + 64;
const flags: usize = memory.data(maxWords * 4, 16);

let isPrepared: bool = false;

/**
 * Decodes a block of `width` x `height` coefficients (at most 4,096, no side over 1,024) into
 * 32-bit numbers at `to`. Its `length` bytes are at `from`; the two bytes after them must be
 * writable and are restored afterwards. At `segments` there are `count` pairs of 32-bit numbers:
 * bytes and passes of a segment; of truncated segments, only complete ones are decoded. `band` is 0
 * LL, 1 HL, 2 LH, 3 HH; `planes`, 1 to 30, the number of bit planes that are not all zero.
 * Coefficients are in halves, at the midpoint of their uncertainty interval.
 */
export function decodeBlock(
  from: usize,
  length: u32,
  segments: usize,
  count: i32,
  width: i32,
  height: i32,
  band: u32,
  planes: u32,
  style: u32,
  to: usize,
): void {
  if (!isPrepared) {
    prepareArithmetic();
    prepareContexts();
    isPrepared = true;
  }
  const stripes = (height + 3) >> 2;
  memory.fill(flags, 0, <usize>((width + 2) * (stripes + 2)) << 2);
  memory.fill(to, 0, <usize>(width * height) << 2);
  resetContexts();
  let plane = planes;
  let kind = 2;
  let pass = 0;
  for (let segment = 0; segment < count; segment++, segments += 8) {
    const bytes = load<u32>(segments);
    if (bytes > length) break;
    length -= bytes;
    const passes = load<i32>(segments, 4);
    const end = from + bytes;
    const behind = load<u16>(end);
    store<u16>(end, 0xffff);
    const isRaw = (style & bypass) != 0 && pass >= 10 && kind < 2;
    if (isRaw) startRaw(from);
    else startArithmetic(from);
    for (let done = 0; done < passes && plane > 0; done++) {
      if (kind == 0) {
        if (isRaw) propagate(width, height, band, plane, style, to, true);
        else propagate(width, height, band, plane, style, to, false);
      } else if (kind == 1) {
        if (isRaw) refine(width, height, plane, to, true);
        else refine(width, height, plane, to, false);
      } else cleanUp(width, height, band, plane, style, to);
      if ((style & reset) != 0) resetContexts();
      pass++;
      if (++kind == 3) {
        kind = 0;
        plane--;
      }
    }
    store<u16>(end, behind);
    from = end;
  }
}

// @ts-ignore: decorator
@inline
function wordAt(width: i32, stripe: i32): usize {
  return flags + (<usize>((stripe + 1) * (width + 2) + 1) << 2);
}

/**
 * Marks the coefficient in row `shift` / 3 as significant in all neighbouring words, but not in its
 * own.
 */
// @ts-ignore: decorator
@inline
function tell(at: usize, shift: u32, sign: u32, stride: usize, isCausal: bool): void {
  store<u32>(at - 4, load<u32>(at - 4) | (0x20 << shift));
  store<u32>(at + 4, load<u32>(at + 4) | (0x08 << shift));
  if (shift == 0) {
    if (!isCausal) {
      const above = at - stride;
      store<u32>(above - 4, load<u32>(above - 4) | 0x20000);
      store<u32>(above, load<u32>(above) | 0x10000 | (sign << 31));
      store<u32>(above + 4, load<u32>(above + 4) | 0x8000);
    }
  } else if (shift == 9) {
    const below = at + stride;
    store<u32>(below - 4, load<u32>(below - 4) | 4);
    store<u32>(below, load<u32>(below) | 2 | (sign << 18));
    store<u32>(below + 4, load<u32>(below + 4) | 1);
  }
}

/** Makes the coefficient in row `shift` / 3 significant; returns its column's new word. */
// @ts-ignore: decorator
@inline
function appear(
  at: usize,
  word: u32,
  shift: u32,
  sign: u32,
  number: usize,
  value: i32,
  stride: usize,
  isCausal: bool,
): u32 {
  store<i32>(number, sign != 0 ? -value : value);
  tell(at, shift, sign, stride, isCausal);
  return word | (here << shift) | (sign << (19 + shift));
}

/** D.3.2: 1 for negative. */
// @ts-ignore: decorator
@inline
function decideSign(at: usize, word: u32, shift: u32): u32 {
  const signs = signsOf(word, load<u32>(at - 4), load<u32>(at + 4), shift);
  return <u32>decide(contexts + <usize>load<u8>(signContexts + signs)) ^ load<u8>(signFlips + signs);
}

/** The rows of a stripe that lie in the block. */
// @ts-ignore: decorator
@inline
function rowsOf(height: i32, y: i32): u32 {
  return anyRow & ((1 << (min<i32>(4, height - y) * 3)) - 1);
}

/** D.3.1 */
// @ts-ignore: decorator
@inline
function propagate(width: i32, height: i32, band: u32, plane: u32, style: u32, to: usize, isRaw: bool): void {
  const value: i32 = 3 << (plane - 1);
  const stride = <usize>(width + 2) << 2;
  const row = <usize>width << 2;
  const table = significance + (band << 9);
  const isCausal = (style & causal) != 0;
  for (let y = 0; y < height; y += 4) {
    const rows = rowsOf(height, y);
    let at = wordAt(width, y >> 2);
    let column = to + <usize>(y * width) * 4;
    for (const end = at + row; at < end; at += 4, column += 4) {
      let word = load<u32>(at);
      if ((word & anySignificant) == 0) continue;
      const free = freeRows(word) & rows;
      let left = rowsNearSignificant(word) & free;
      if (left == 0) continue;
      while (left != 0) {
        const shift = ctz(left);
        left &= left - 1;
        const near = word >> shift;
        word |= coded << shift;
        let sign: u32;
        if (isRaw) {
          if (rawBit() == 0) continue;
          sign = <u32>rawBit();
        } else {
          if (decide(contexts + <usize>load<u8>(table + (near & around))) == 0) continue;
          sign = decideSign(at, word, shift);
        }
        word = appear(at, word, shift, sign, column + numberOf(shift, row), value, stride, isCausal);
        // Now the coefficient below has a significant neighbour, too.
        left |= (8 << shift) & free;
      }
      store<u32>(at, word);
    }
  }
}

/** The address of the number in row `shift` / 3 of a column. */
// @ts-ignore: decorator
@inline
function numberOf(shift: u32, row: usize): usize {
  return (<usize>(shift * 11) >> 5) * row;
}

/** D.3.3 */
// @ts-ignore: decorator
@inline
function refine(width: i32, height: i32, plane: u32, to: usize, isRaw: bool): void {
  const half: i32 = 1 << (plane - 1);
  const row = <usize>width << 2;
  for (let y = 0; y < height; y += 4) {
    const rows = rowsOf(height, y);
    let at = wordAt(width, y >> 2);
    let column = to + <usize>(y * width) * 4;
    for (const end = at + row; at < end; at += 4, column += 4) {
      let word = load<u32>(at);
      let left = rowsToRefine(word) & rows;
      if (left == 0) continue;
      const all = left;
      while (left != 0) {
        const shift = ctz(left);
        left &= left - 1;
        const near = word >> shift;
        const context = contexts + ((near & refined) != 0 ? 64 : (near & around) != 0 ? 60 : 56);
        const symbol = isRaw ? rawBit() : decide(context);
        const number = column + numberOf(shift, row);
        const before = load<i32>(number);
        store<i32>(number, before + (symbol == <i32>(before < 0) ? -half : half));
      }
      store<u32>(at, word | (all << 20));
    }
  }
}

/** D.3.4, and the segmentation symbol of D.5, which is read and ignored. */
function cleanUp(width: i32, height: i32, band: u32, plane: u32, style: u32, to: usize): void {
  const value: i32 = 3 << (plane - 1);
  const stride = <usize>(width + 2) << 2;
  const row = <usize>width << 2;
  const table = significance + (band << 9);
  const isCausal = (style & causal) != 0;
  for (let y = 0; y < height; y += 4) {
    const rows = rowsOf(height, y);
    let at = wordAt(width, y >> 2);
    let column = to + <usize>(y * width) * 4;
    for (const end = at + row; at < end; at += 4, column += 4) {
      let word = load<u32>(at);
      let left = freeRows(word) & rows;
      if (rows == anyRow && (word & (anySignificant | anyCoded)) == 0) {
        if (decide(runContext) == 0) continue;
        const high = <u32>decide(uniformContext);
        const shift = ((high << 1) | <u32>decide(uniformContext)) * 3;
        // Where a run ends, the coefficient is known to be significant.
        const sign = decideSign(at, word, shift);
        word = appear(at, word, shift, sign, column + numberOf(shift, row), value, stride, isCausal);
        left &= ~7 << shift;
      }
      while (left != 0) {
        const shift = ctz(left);
        left &= left - 1;
        const near = word >> shift;
        if (decide(contexts + <usize>load<u8>(table + (near & around))) == 0) continue;
        const sign = decideSign(at, word, shift);
        word = appear(at, word, shift, sign, column + numberOf(shift, row), value, stride, isCausal);
      }
      store<u32>(at, word & ~anyCoded);
    }
  }
  if ((style & segmentSymbols) != 0)
    for (let symbol = 0; symbol < 4; symbol++) decide(uniformContext);
}
