// The three coding passes of a block (ISO/IEC 15444-1, annex D).

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
  anyHere,
  anySignificant,
  around,
  coded,
  here,
  prepareContexts,
  refined,
  signContexts,
  signFlips,
  significance,
  signsOf,
} from "./contexts";

// Styles of table A.19.
const bypass: u32 = 1;
const reset: u32 = 2;
const causal: u32 = 8;
const segmentSymbols: u32 = 32;

/** A word for each column of each stripe, with a column more on both sides and a stripe more above and below. */
const mostWords = (4096 / 4 + 2 * 1024 + 4 + 2 * 256) + 64;
const flags: usize = memory.data(mostWords * 4, 16);

let isPrepared: bool = false;

/**
 * Decodes a block of `width` x `height` coefficients (at most 4,096, no side over 1,024) into numbers of 32 bits at
 * `to`. Its bytes are at `from`, and two more have to be there behind them, of which nothing is kept. At `segments`
 * there are `count` pairs of 32 bits: bytes and passes of a segment. `band` is 0 LL, 1 HL, 2 LH, 3 HH; `planes`, 1 to
 * 30, the bit planes that are not all zero. Numbers are in halves, and in the middle of what they may be.
 */
export function decodeBlock(
  from: usize,
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
    const length = load<u32>(segments);
    const passes = load<i32>(segments, 4);
    const end = from + length;
    const behind = load<u16>(end);
    store<u16>(end, 0xffff);
    const isRaw = (style & bypass) != 0 && pass >= 10 && kind < 2;
    if (isRaw) startRaw(from);
    else startArithmetic(from);
    for (let done = 0; done < passes && plane > 0; done++) {
      if (kind == 0) propagate(width, height, band, plane, style, to, isRaw);
      else if (kind == 1) refine(width, height, plane, to, isRaw);
      else cleanUp(width, height, band, plane, style, to);
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

/** Tells all around that the coefficient in row `shift` / 3 is significant, but not its own word. */
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

/** The coefficient in row `shift` / 3 becomes significant; answers what becomes of its column's word. */
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

/** D.3.1 */
function propagate(width: i32, height: i32, band: u32, plane: u32, style: u32, to: usize, isRaw: bool): void {
  const value: i32 = 3 << (plane - 1);
  const stride = <usize>(width + 2) << 2;
  const row = <usize>width << 2;
  const table = significance + (band << 9);
  const isCausal = (style & causal) != 0;
  for (let y = 0; y < height; y += 4) {
    const last: u32 = <u32>(min<i32>(4, height - y) * 3);
    let at = wordAt(width, y >> 2);
    let column = to + <usize>(y * width) * 4;
    for (const end = at + row; at < end; at += 4, column += 4) {
      let word = load<u32>(at);
      if ((word & anySignificant) == 0) continue;
      let number = column;
      for (let shift: u32 = 0; shift < last; shift += 3, number += row) {
        const near = word >> shift;
        if ((near & (here | coded)) != 0 || (near & around) == 0) continue;
        word |= coded << shift;
        let sign: u32;
        if (isRaw) {
          if (rawBit() == 0) continue;
          sign = <u32>rawBit();
        } else {
          if (decide(contexts + <usize>load<u8>(table + (near & around))) == 0) continue;
          sign = decideSign(at, word, shift);
        }
        word = appear(at, word, shift, sign, number, value, stride, isCausal);
      }
      store<u32>(at, word);
    }
  }
}

/** D.3.3 */
function refine(width: i32, height: i32, plane: u32, to: usize, isRaw: bool): void {
  const half: i32 = 1 << (plane - 1);
  const row = <usize>width << 2;
  for (let y = 0; y < height; y += 4) {
    const last: u32 = <u32>(min<i32>(4, height - y) * 3);
    let at = wordAt(width, y >> 2);
    let column = to + <usize>(y * width) * 4;
    for (const end = at + row; at < end; at += 4, column += 4) {
      let word = load<u32>(at);
      if ((word & anyHere) == 0) continue;
      let number = column;
      for (let shift: u32 = 0; shift < last; shift += 3, number += row) {
        const near = word >> shift;
        if ((near & (here | coded)) != here) continue;
        const context = contexts + ((near & refined) != 0 ? 64 : (near & around) != 0 ? 60 : 56);
        const symbol = isRaw ? rawBit() : decide(context);
        word |= refined << shift;
        const before = load<i32>(number);
        store<i32>(number, before + (symbol == <i32>(before < 0) ? -half : half));
      }
      store<u32>(at, word);
    }
  }
}

/** D.3.4, and the segmentation symbol of D.5, which is read and not looked at. */
function cleanUp(width: i32, height: i32, band: u32, plane: u32, style: u32, to: usize): void {
  const value: i32 = 3 << (plane - 1);
  const stride = <usize>(width + 2) << 2;
  const row = <usize>width << 2;
  const table = significance + (band << 9);
  const isCausal = (style & causal) != 0;
  for (let y = 0; y < height; y += 4) {
    const last: u32 = <u32>(min<i32>(4, height - y) * 3);
    let at = wordAt(width, y >> 2);
    let column = to + <usize>(y * width) * 4;
    for (const end = at + row; at < end; at += 4, column += 4) {
      let word = load<u32>(at);
      let shift: u32 = 0;
      let isFirst = false;
      if (last == 12 && (word & (anySignificant | anyCoded)) == 0) {
        if (decide(runContext) == 0) continue;
        const high = <u32>decide(uniformContext);
        shift = ((high << 1) | <u32>decide(uniformContext)) * 3;
        isFirst = true;
      }
      let number = column + <usize>(shift / 3) * row;
      for (; shift < last; shift += 3, number += row) {
        const near = word >> shift;
        if ((near & (here | coded)) != 0) continue;
        // Where a run ends, the coefficient is known to be significant.
        if (!isFirst && decide(contexts + <usize>load<u8>(table + (near & around))) == 0) continue;
        isFirst = false;
        word = appear(at, word, shift, decideSign(at, word, shift), number, value, stride, isCausal);
      }
      store<u32>(at, word & ~anyCoded);
    }
  }
  if ((style & segmentSymbols) != 0)
    for (let symbol = 0; symbol < 4; symbol++) decide(uniformContext);
}
