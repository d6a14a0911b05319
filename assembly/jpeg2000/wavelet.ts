// The inverse wavelet transform (ISO/IEC 15444-1, annex F) of a window of a resolution.
//
// Low samples are at even positions of the resolution, high ones at odd positions. A window starts
// with a low or a high one; `oddX` and `oddY` say that it starts with a high one. It is extended
// symmetrically at its edges, which is correct at the edges of the resolution and elsewhere
// corrupts up to two (5/3) or four (9/7) samples: the caller requests that many more.

/** Rows start at multiples of eight samples, so that whole vectors can be written. */
// @ts-ignore: decorator
@inline
function strideOf(width: i32): usize {
  return <usize>((width + 7) & ~7) << 2;
}

const k: f32 = 1.230174104914001;
/**
 * OpenJPEG's 1 / k, which is smaller by 3 in 100,000: this makes samples bit-identical to
 * OpenJPEG's.
 */
const kHigh: f32 = 0.812866211;
const alpha: f32 = -1.586134342059924;
const beta: f32 = -0.052980118572961;
const gamma: f32 = 0.882911075530934;
const delta: f32 = 0.443506852043971;

/** The low and high samples of a row after the first two steps of 9/7. */
let lowRow: usize = 0;
let highRow: usize = 0;

/**
 * Synthesizes a window of `width` x `height` at `to` from its four bands. `ll`, `hl`, `lh` and `hh`
 * are the addresses of their parts of the window, in rows `llStride` (LL) and `strideOf` their
 * widths (the others) bytes apart. Up to 32 more bytes are written after the last row. `scratch`
 * has room for 2 * (`strideOf` the width + 64) bytes.
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
  lowRow = scratch;
  highRow = scratch + stride + 64;
  const low = (width + 1 - oddX) >> 1;
  const lowStride = strideOf(low);
  const highStride = strideOf(width - low);
  prepareEnds((width < fewest ? mirrored : width) + oddX);
  let row = 0;
  // The last step ends three rows after the first; rows outside the window are skipped.
  for (let y = oddY, rows = 2; y < height + 4; y += rows) {
    rows = !isReversible && y >= 4 && y + 3 < height ? 4 : 2;
    for (; row < height && row < y + rows; row++) {
      const isHigh = (row + oddY) & 1;
      const at = <usize>(row >> 1);
      const lows = isHigh != 0 ? lh + at * lowStride : ll + at * llStride;
      const highs = isHigh != 0 ? hh + at * highStride : hl + at * highStride;
      const target = to + <usize>row * stride;
      if (isReversible) row53(target, lows, highs, width, oddX);
      else row97(target, lows, highs, width, oddX, height == 1 ? 1 : isHigh != 0 ? kHigh : k);
    }
    if (height == 1) {
      if (oddY != 0) halve(to, stride, isReversible);
      return;
    }
    if (isReversible) {
      if (y >= 2 && y + 1 < height) liftBoth53(to + <usize>y * stride, stride);
      else {
        lift53(to, stride, y, height, false);
        lift53(to, stride, y - 1, height, true);
      }
    } else if (rows == 4) liftAll97(to + <usize>y * stride, stride);
    else {
      lift97(to, stride, y, height, delta);
      lift97(to, stride, y - 1, height, gamma);
      lift97(to, stride, y - 2, height, beta);
      lift97(to, stride, y - 3, height, alpha);
    }
  }
}

/** A row or column of a single high sample: F.3.6 and F.3.8.1.1. */
function halve(at: usize, bytes: usize, isReversible: bool): void {
  for (const end = at + bytes; at < end; at += 4)
    if (isReversible) store<i32>(at, load<i32>(at) / 2);
    else store<f32>(at, load<f32>(at) * 0.5);
}

// A row is lifted four low and four high samples at a time, two steps at once, with the first
// step's results still in registers. All four steps at once are no faster, since each waits for the
// one before it.
//
// For that, a row has to start with a low sample. A row that does not is treated as if it had one
// more at its start, the mirrored one, which is not written. Mirrored samples stay equal through
// all steps, so the end of a row is mirrored once: its last few samples and two beyond them, of
// each kind, are copied to where they are read instead.

/** The minimum number of samples of a row. */
const fewest: i32 = 12;
/**
 * Shorter rows are mirrored to this length; the last four samples are then corrupted by their end.
 */
const mirrored: i32 = 16;
/** The low and high samples of such rows. */
const fewLows: usize = memory.data(32, 16);
const fewHighs: usize = memory.data(32, 16);
/** The last samples of a row, and those beyond them. */
const endLows: usize = memory.data(48, 16);
const endHighs: usize = memory.data(48, 16);
/** Which bytes of its last four low and last four high samples exist. */
const lowPlaces: usize = memory.data(32, 16);
const highPlaces: usize = memory.data(32, 16);

/** Prepares the ends of rows of `width` samples, the first of which is low. */
function prepareEnds(width: i32): void {
  const low = (width + 1) >> 1;
  const high = width >> 1;
  const whole = high & ~3;
  // Samples are mirrored about the last one.
  const isLastLow = low - high;
  for (let at = 0; at < 8; at++) {
    store<i32>(lowPlaces + (<usize>at << 2), bytesOf(whole + at - low, 1 + isLastLow));
    store<i32>(highPlaces + (<usize>at << 2), bytesOf(whole + at - high, 2 - isLastLow));
  }
}

/**
 * The bytes of a sample among the last four. Those `beyond` the last are mirrored: the first of
 * them is the `nearest`th from the end.
 */
function bytesOf(beyond: i32, nearest: i32): i32 {
  const sample = beyond < 0 ? 4 + beyond : max<i32>(0, 4 - nearest - beyond);
  return sample * 0x04040404 + 0x03020100;
}

/** Copies the end of a row, after its last whole vector of high samples, to where it is read. */
// @ts-ignore: decorator
@inline
function putEnds(lows: usize, highs: usize, width: i32): void {
  const lastLows = v128.load(lows + (<usize>((width + 1) >> 1) << 2) - 16);
  const lastHighs = v128.load(highs + (<usize>(width >> 1) << 2) - 16);
  v128.store(endLows, i8x16.swizzle(lastLows, v128.load(lowPlaces)));
  v128.store(endLows, i8x16.swizzle(lastLows, v128.load(lowPlaces, 16)), 16);
  v128.store(endHighs, i8x16.swizzle(lastHighs, v128.load(highPlaces)));
  v128.store(endHighs, i8x16.swizzle(lastHighs, v128.load(highPlaces, 16)), 16);
}

/** Mirrors a row of more than one and less than `fewest` samples at both ends. */
function putFew(lows: usize, highs: usize, width: i32, odd: i32): void {
  let from = 0;
  let step = 1;
  for (let at = 0; at < mirrored; at++) {
    const isHigh = (at + odd) & 1;
    const target = (isHigh != 0 ? fewHighs : fewLows) + (<usize>(at >> 1) << 2);
    store<i32>(target, load<i32>((isHigh != 0 ? highs : lows) + (<usize>(from >> 1) << 2)));
    from += step;
    if (from == 0 || from == width - 1) step = -step;
  }
}

/** For each of four samples the one before it; `before` holds the four preceding ones. */
// @ts-ignore: decorator
@inline
function previous(before: v128, samples: v128): v128 {
  return v128.shuffle<i32>(before, samples, 3, 4, 5, 6);
}

/** The same at the start of a row, where one is missing and replaced by the first or second one. */
// @ts-ignore: decorator
@inline
function previousOfFirst(samples: v128, isSecond: bool): v128 {
  if (isSecond) return v128.shuffle<i32>(samples, samples, 1, 0, 1, 2);
  return v128.shuffle<i32>(samples, samples, 0, 0, 1, 2);
}

/** For each of four samples the one after it; `after` holds the four following ones. */
// @ts-ignore: decorator
@inline
function next(samples: v128, after: v128): v128 {
  return v128.shuffle<i32>(samples, after, 1, 2, 3, 4);
}

// @ts-ignore: decorator
@inline
function interleave(to: usize, first: v128, second: v128): void {
  v128.store(to, v128.shuffle<i32>(first, second, 0, 4, 1, 5));
  v128.store(to, v128.shuffle<i32>(first, second, 2, 6, 3, 7), 16);
}

/**
 * Low samples in order; where the first one is missing, the first of the others is repeated before
 * them.
 */
// @ts-ignore: decorator
@inline
function firstLows(lows: usize, isOdd: bool): v128 {
  if (!isOdd) return v128.load(lows);
  const samples = v128.load(lows, 4);
  return v128.shuffle<i32>(samples, samples, 0, 0, 1, 2);
}

/** F.3.8.2.1.1: even samples of the row first, then the odd ones between them. */
function row53(to: usize, lows: usize, highs: usize, width: i32, odd: i32): void {
  if (width == 1) {
    store<i32>(to, odd != 0 ? load<i32>(highs) / 2 : load<i32>(lows));
    return;
  }
  if (width < fewest) {
    putFew(lows, highs, width, odd);
    lows = fewLows;
    highs = fewHighs;
    width = mirrored;
  }
  if (odd != 0) steps53(to, lows - 4, highs, width + 1, true);
  else steps53(to, lows, highs, width, false);
}

// @ts-ignore: decorator
@inline
function steps53(to: usize, lows: usize, highs: usize, width: i32, isOdd: bool): void {
  putEnds(lows, highs, width);
  const two = i32x4.splat(2);
  let high = v128.load(highs);
  let low = lifted53(firstLows(lows, isOdd), previousOfFirst(high, isOdd), high, two);
  const last = to + (<usize>((isOdd ? width + 6 : width + 7) >> 3) << 5);
  let end = to + (<usize>((width >> 3) - 1) << 5);
  lows += 16;
  highs += 16;
  while (true) {
    for (; to < end; to += 32, lows += 16, highs += 16) {
      const highAfter = v128.load(highs);
      const lowAfter = lifted53(v128.load(lows), previous(high, highAfter), highAfter, two);
      const behind = next(low, lowAfter);
      const odds = i32x4.add(high, i32x4.shr_s(i32x4.add(low, behind), 1));
      if (isOdd) interleave(to, odds, behind);
      else interleave(to, low, odds);
      high = highAfter;
      low = lowAfter;
    }
    if (to == last) return;
    end = last;
    lows = endLows;
    highs = endHighs;
  }
}

/** The first step of low samples. */
// @ts-ignore: decorator
@inline
function lifted53(samples: v128, before: v128, after: v128, two: v128): v128 {
  return i32x4.sub(samples, i32x4.shr_s(i32x4.add(i32x4.add(before, after), two), 2));
}

/** F.3.8.1, F.3.8.2.1: a row, times `scale`, with which the columns start. */
function row97(to: usize, lows: usize, highs: usize, width: i32, odd: i32, scale: f32): void {
  if (width == 1) {
    store<f32>(to, (odd != 0 ? load<f32>(highs) * 0.5 : load<f32>(lows)) * scale);
    return;
  }
  if (width < fewest) {
    putFew(lows, highs, width, odd);
    lows = fewLows;
    highs = fewHighs;
    width = mirrored;
  }
  const bytes = <usize>((width + 7) >> 3) << 4;
  if (odd != 0) {
    firstSteps97(lows - 4, highs, width + 1, true, bytes);
    lastSteps97(to, true, scale, bytes);
  } else {
    firstSteps97(lows, highs, width, false, bytes);
    lastSteps97(to, false, scale, bytes);
  }
}

/** Skips `bytes` bytes of low and of high samples, and one more vector. */
// @ts-ignore: decorator
@inline
function firstSteps97(lows: usize, highs: usize, width: i32, isOdd: bool, bytes: usize): void {
  putEnds(lows, highs, width);
  const lowScale = f32x4.splat(k);
  const highScale = f32x4.splat(kHigh);
  const deltas = f32x4.splat(delta);
  const gammas = f32x4.splat(gamma);
  let high = f32x4.mul(v128.load(highs), highScale);
  let low = f32x4.mul(firstLows(lows, isOdd), lowScale);
  low = lifted(low, previousOfFirst(high, isOdd), high, deltas);
  let lowTo = lowRow;
  let highTo = highRow;
  const last = lowTo + bytes + 16;
  let end = lowTo + (<usize>((width >> 3) - 1) << 4);
  lows += 16;
  highs += 16;
  while (true) {
    for (; lowTo < end; lowTo += 16, highTo += 16, lows += 16, highs += 16) {
      const highAfter = f32x4.mul(v128.load(highs), highScale);
      const scaled = f32x4.mul(v128.load(lows), lowScale);
      const lowAfter = lifted(scaled, previous(high, highAfter), highAfter, deltas);
      v128.store(lowTo, low);
      v128.store(highTo, lifted(high, low, next(low, lowAfter), gammas));
      high = highAfter;
      low = lowAfter;
    }
    if (lowTo == last) return;
    end = last;
    lows = endLows;
    highs = endHighs;
  }
}

// @ts-ignore: decorator
@inline
function lastSteps97(to: usize, isOdd: bool, scale: f32, bytes: usize): void {
  const betas = f32x4.splat(beta);
  const alphas = f32x4.splat(alpha);
  const factor = f32x4.splat(scale);
  let lows = lowRow;
  let highs = highRow;
  let high = v128.load(highs);
  let low = lifted(v128.load(lows), previousOfFirst(high, isOdd), high, betas);
  for (const end = lows + bytes; lows < end; lows += 16, highs += 16, to += 32) {
    const highAfter = v128.load(highs, 16);
    const lowAfter = lifted(v128.load(lows, 16), previous(high, highAfter), highAfter, betas);
    const behind = next(low, lowAfter);
    const odds = f32x4.mul(lifted(high, low, behind, alphas), factor);
    if (isOdd) interleave(to, odds, f32x4.mul(behind, factor));
    else interleave(to, f32x4.mul(low, factor), odds);
    high = highAfter;
    low = lowAfter;
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

/** A 5/3 step down the columns, for row `y` if it exists: an odd one, or an even one. */
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

/**
 * The steps of `lift53` for the even row at `at` and the odd one before it; all neighbours exist.
 */
function liftBoth53(at: usize, stride: usize): void {
  const two = i32x4.splat(2);
  for (const end = at + stride; at < end; at += 16) {
    const before = at - stride;
    const odds = v128.load(before);
    const evens = lifted53(v128.load(at), odds, v128.load(at + stride), two);
    v128.store(at, evens);
    const both = i32x4.add(v128.load(before - stride), evens);
    v128.store(before, i32x4.add(odds, i32x4.shr_s(both, 1)));
  }
}

/** A 9/7 step down the columns, for row `y` if it exists. */
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

/** The factors of all steps, in memory: V8 11.3 rebuilds constants for every vector. */
const allFactors: usize = memory.data<f32>([
  delta, delta, delta, delta, gamma, gamma, gamma, gamma, beta, beta, beta, beta, alpha, alpha, alpha, alpha,
], 16);

/**
 * The steps of `lift97` for the row at `at` and the three before it, one each, and then for the
 * second row after it and the three before that; all neighbours exist.
 */
function liftAll97(at: usize, stride: usize): void {
  const deltas = v128.load(allFactors);
  const gammas = v128.load(allFactors, 16);
  const betas = v128.load(allFactors, 32);
  const alphas = v128.load(allFactors, 48);
  const before4 = at - 4 * stride;
  const before3 = at - 3 * stride;
  const before2 = at - 2 * stride;
  const before1 = at - stride;
  const after1 = at + stride;
  const after2 = at + 2 * stride;
  const after3 = at + 3 * stride;
  for (let x: usize = 0; x < stride; x += 16) {
    const raw1 = v128.load(before1 + x);
    const raw2 = v128.load(before2 + x);
    const raw3 = v128.load(before3 + x);
    const odd1 = v128.load(after1 + x);
    const delta0 = lifted(v128.load(at + x), raw1, odd1, deltas);
    const gamma1 = lifted(raw1, raw2, delta0, gammas);
    const beta2 = lifted(raw2, raw3, gamma1, betas);
    v128.store(before2 + x, beta2);
    v128.store(before3 + x, lifted(raw3, v128.load(before4 + x), beta2, alphas));
    const delta2 = lifted(v128.load(after2 + x), odd1, v128.load(after3 + x), deltas);
    v128.store(after2 + x, delta2);
    const gamma3 = lifted(odd1, delta0, delta2, gammas);
    v128.store(after1 + x, gamma3);
    const beta0 = lifted(delta0, gamma1, gamma3, betas);
    v128.store(at + x, beta0);
    v128.store(before1 + x, lifted(gamma1, beta2, beta0, alphas));
  }
}

/** The samples less `factor` times both neighbours. */
// @ts-ignore: decorator
@inline
function lifted(samples: v128, before: v128, after: v128, factor: v128): v128 {
  return f32x4.sub(samples, f32x4.mul(f32x4.add(before, after), factor));
}
