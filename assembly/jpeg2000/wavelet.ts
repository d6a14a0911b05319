// The inverse wavelet transformation (ISO/IEC 15444-1, annex F) of a window of a resolution.
//
// Low samples are those at even places of the resolution, high ones those at odd places. A window begins with a low or
// a high one; `oddX` and `oddY` say that it begins with a high one. At its edges it is mirrored, which is right at the
// edges of the resolution, and elsewhere spoils up to two (5/3) or four (9/7) samples: the caller asks for as many more.

/** Rows begin at multiples of eight samples, so that whole vectors may be written. */
// @ts-ignore: decorator
@inline
function strideOf(width: i32): usize {
  return <usize>((width + 7) & ~7) << 2;
}

const k: f32 = 1.230174104914001;
/** OpenJPEG's 1 / k, which is 3 in 100,000 less than that: so samples are the same as its own, bit for bit. */
const kHigh: f32 = 0.812866211;
const alpha: f32 = -1.586134342059924;
const beta: f32 = -0.052980118572961;
const gamma: f32 = 0.882911075530934;
const delta: f32 = 0.443506852043971;

/** Two rows of a window, and room for each with 32 bytes more on both sides, in which to work. */
let lowRow: usize = 0;
let highRow: usize = 0;

/**
 * Makes a window of `width` x `height` at `to` of its four bands. `ll`, `hl`, `lh` and `hh` are where their parts of the
 * window begin, in rows `llStride` (LL) and `strideOf` their widths (the others) bytes apart; vectors are read beyond
 * them. `scratch` is room for 2 * (`strideOf` the width + 64) bytes.
 */
export function synthesize(
  to: usize,
  width: i32,
  height: i32,
  oddX: i32,
  oddY: i32,
  ll: usize,
  llStride: usize,
  hl: usize,
  lh: usize,
  hh: usize,
  isReversible: bool,
  scratch: usize,
): void {
  const stride = strideOf(width);
  const low = (width + 1 - oddX) >> 1;
  const high = width - low;
  lowRow = scratch + 32;
  highRow = lowRow + stride + 64;
  const lowStride = strideOf(low);
  const highStride = strideOf(high);
  let row = 0;
  // Three steps behind the first, the last one ends; rows beyond the window are passed over.
  for (let y = oddY; y < height + 4; y += 2) {
    for (; row < height && row <= y + 1; row++) {
      const isHigh = (row + oddY) & 1;
      const at = <usize>(row >> 1);
      const lows = isHigh != 0 ? lh + at * lowStride : ll + at * llStride;
      const highs = isHigh != 0 ? hh + at * highStride : hl + at * highStride;
      const target = to + <usize>row * stride;
      if (isReversible) row53(target, lows, highs, low, high, oddX);
      else row97(target, lows, highs, low, high, oddX, height == 1 ? 1 : isHigh != 0 ? kHigh : k);
    }
    if (height == 1) {
      if (oddY != 0) halve(to, stride, isReversible);
      return;
    }
    if (isReversible) {
      lift53(to, stride, y, height, false);
      lift53(to, stride, y - 1, height, true);
    } else if (y >= 4 && y + 1 < height) liftAll97(to + <usize>y * stride, stride);
    else {
      lift97(to, stride, y, height, delta);
      lift97(to, stride, y - 1, height, gamma);
      lift97(to, stride, y - 2, height, beta);
      lift97(to, stride, y - 3, height, alpha);
    }
  }
}

/** A row of one high sample, or a column: F.3.6 and F.3.8.1.1. */
function halve(at: usize, bytes: usize, isReversible: bool): void {
  for (const end = at + bytes; at < end; at += 4)
    if (isReversible) store<i32>(at, load<i32>(at) / 2);
    else store<f32>(at, load<f32>(at) * 0.5);
}

/** Repeats the first and the last of `count` samples at `at`, before and behind. */
// @ts-ignore: decorator
@inline
function mirror(at: usize, count: i32): void {
  store<i32>(at - 4, load<i32>(at));
  store<i32>(at + (<usize>count << 2), load<i32>(at + (<usize>(count - 1) << 2)));
}

function copy(to: usize, from: usize, count: i32): void {
  for (const end = to + (<usize>count << 2); to < end; to += 16, from += 16) v128.store(to, v128.load(from));
}

/** F.3.8.2.1.1: even samples of the row first, then the odd ones between them. */
function row53(to: usize, lows: usize, highs: usize, low: i32, high: i32, odd: i32): void {
  if (low + high == 1) {
    store<i32>(to, odd != 0 ? load<i32>(highs) / 2 : load<i32>(lows));
    return;
  }
  copy(highRow, highs, high);
  mirror(highRow, high);
  // An even sample has the odd one of its number behind it where the row begins with an even one, else before it.
  const before = <usize>(odd != 0 ? 0 : 4);
  const two = i32x4.splat(2);
  for (let at: usize = 0, end = <usize>low << 2; at < end; at += 16) {
    const left = v128.load(highRow + at - before);
    const right = v128.load(highRow + at - before, 4);
    const change = i32x4.shr_s(i32x4.add(i32x4.add(left, right), two), 2);
    v128.store(lowRow + at, i32x4.sub(v128.load(lows + at), change));
  }
  mirror(lowRow, low);
  const after = <usize>(odd != 0 ? 4 : 0);
  for (let at: usize = 0, end = <usize>max<i32>(low, high) << 2; at < end; at += 16, to += 32) {
    const left = v128.load(lowRow + at - after);
    const right = v128.load(lowRow + at - after, 4);
    const odds = i32x4.add(v128.load(highRow + at), i32x4.shr_s(i32x4.add(left, right), 1));
    interleave(to, v128.load(lowRow + at), odds, odd);
  }
}

// @ts-ignore: decorator
@inline
function interleave(to: usize, evens: v128, odds: v128, odd: i32): void {
  const first = odd != 0 ? odds : evens;
  const second = odd != 0 ? evens : odds;
  v128.store(to, v128.shuffle<i32>(first, second, 0, 4, 1, 5));
  v128.store(to, v128.shuffle<i32>(first, second, 2, 6, 3, 7), 16);
}

/** F.3.8.1, F.3.8.2.1: a row, and all of it times `scale`, with which the columns begin. */
function row97(to: usize, lows: usize, highs: usize, low: i32, high: i32, odd: i32, scale: f32): void {
  if (low + high == 1) {
    store<f32>(to, (odd != 0 ? load<f32>(highs) * 0.5 : load<f32>(lows)) * scale);
    return;
  }
  times(lowRow, lows, low, k);
  times(highRow, highs, high, kHigh);
  const before = <usize>(odd != 0 ? 0 : 4);
  const after = <usize>(odd != 0 ? 4 : 0);
  mirror(highRow, high);
  liftRow(lowRow, highRow - before, low, delta);
  mirror(lowRow, low);
  liftRow(highRow, lowRow - after, high, gamma);
  mirror(highRow, high);
  liftRow(lowRow, highRow - before, low, beta);
  mirror(lowRow, low);
  liftRow(highRow, lowRow - after, high, alpha);
  const factor = f32x4.splat(scale);
  for (let at: usize = 0, end = <usize>max<i32>(low, high) << 2; at < end; at += 16, to += 32) {
    const evens = f32x4.mul(v128.load(lowRow + at), factor);
    interleave(to, evens, f32x4.mul(v128.load(highRow + at), factor), odd);
  }
}

function times(to: usize, from: usize, count: i32, factor: f32): void {
  const factors = f32x4.splat(factor);
  for (const end = to + (<usize>count << 2); to < end; to += 16, from += 16)
    v128.store(to, f32x4.mul(v128.load(from), factors));
}

/** Takes `factor` times both neighbours, the first of which are at `beside`, from `count` samples. */
function liftRow(at: usize, beside: usize, count: i32, factor: f32): void {
  const factors = f32x4.splat(factor);
  for (const end = at + (<usize>count << 2); at < end; at += 16, beside += 16) {
    const both = f32x4.add(v128.load(beside), v128.load(beside, 4));
    v128.store(at, f32x4.sub(v128.load(at), f32x4.mul(both, factors)));
  }
}

// @ts-ignore: decorator
@inline
function rowBefore(to: usize, stride: usize, y: i32): usize {
  const row: i32 = y > 0 ? y - 1 : 1;
  return to + <usize>row * stride;
}

// @ts-ignore: decorator
@inline
function rowAfter(to: usize, stride: usize, y: i32, height: i32): usize {
  const row: i32 = y + 1 < height ? y + 1 : y - 1;
  return to + <usize>row * stride;
}

/** A step of 5/3 down the columns, of row `y` if there is one: an odd one, or an even one. */
function lift53(to: usize, stride: usize, y: i32, height: i32, isOdd: bool): void {
  if (y < 0 || y >= height) return;
  let before = rowBefore(to, stride, y);
  let after = rowAfter(to, stride, y, height);
  let at = to + <usize>y * stride;
  const end = at + stride;
  if (isOdd) {
    for (; at < end; at += 16, before += 16, after += 16) {
      const both = i32x4.add(v128.load(before), v128.load(after));
      v128.store(at, i32x4.add(v128.load(at), i32x4.shr_s(both, 1)));
    }
    return;
  }
  const two = i32x4.splat(2);
  for (; at < end; at += 16, before += 16, after += 16) {
    const both = i32x4.add(i32x4.add(v128.load(before), v128.load(after)), two);
    v128.store(at, i32x4.sub(v128.load(at), i32x4.shr_s(both, 2)));
  }
}

/** A step of 9/7 down the columns, of row `y` if there is one. */
function lift97(to: usize, stride: usize, y: i32, height: i32, factor: f32): void {
  if (y < 0 || y >= height) return;
  let before = rowBefore(to, stride, y);
  let after = rowAfter(to, stride, y, height);
  let at = to + <usize>y * stride;
  const factors = f32x4.splat(factor);
  for (const end = at + stride; at < end; at += 16, before += 16, after += 16) {
    const both = f32x4.add(v128.load(before), v128.load(after));
    v128.store(at, f32x4.sub(v128.load(at), f32x4.mul(both, factors)));
  }
}

/** The steps of `lift97` of four rows, the last of which is at `at`, one row further up each; all neighbours are there. */
function liftAll97(at: usize, stride: usize): void {
  const deltas = f32x4.splat(delta);
  const gammas = f32x4.splat(gamma);
  const betas = f32x4.splat(beta);
  const alphas = f32x4.splat(alpha);
  for (const end = at + stride; at < end; at += 16) {
    const third = at - stride;
    const second = third - stride;
    const first = second - stride;
    const before = v128.load(third);
    const last = lifted(v128.load(at), before, v128.load(at + stride), deltas);
    v128.store(at, last);
    const farther = v128.load(second);
    const beforeLast = lifted(before, farther, last, gammas);
    v128.store(third, beforeLast);
    const farthest = v128.load(first);
    const middle = lifted(farther, farthest, beforeLast, betas);
    v128.store(second, middle);
    v128.store(first, lifted(farthest, v128.load(first - stride), middle, alphas));
  }
}

/** What is left of samples, less `factor` times both neighbours. */
// @ts-ignore: decorator
@inline
function lifted(samples: v128, before: v128, after: v128, factor: v128): v128 {
  return f32x4.sub(samples, f32x4.mul(f32x4.add(before, after), factor));
}
