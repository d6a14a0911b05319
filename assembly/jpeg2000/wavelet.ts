// The inverse wavelet transformation (ISO/IEC 15444-1, annex F) of a window of a resolution.
//
// Low samples are those at even places of the resolution, high ones those at odd places. A window
// begins with a low or a high one; `oddX` and `oddY` say that it begins with a high one. At its
// edges it is mirrored, which is right at the edges of the resolution, and elsewhere spoils up to
// two (5/3) or four (9/7) samples: the caller asks for as many more.

/** Rows begin at multiples of eight samples, so that whole vectors may be written. */
// @ts-ignore: decorator
@inline
function strideOf(width: i32): usize {
  return <usize>((width + 7) & ~7) << 2;
}

const k: f32 = 1.230174104914001;
/**
 * OpenJPEG's 1 / k, which is 3 in 100,000 less than that: so samples are the same as its own, bit
 * for bit.
 */
const kHigh: f32 = 0.812866211;
const alpha: f32 = -1.586134342059924;
const beta: f32 = -0.052980118572961;
const gamma: f32 = 0.882911075530934;
const delta: f32 = 0.443506852043971;

/** The low and the high samples of a row after the first two steps of 9/7. */
let lowRow: usize = 0;
let highRow: usize = 0;

/**
 * Makes a window of `width` x `height` at `to` of its four bands. `ll`, `hl`, `lh` and `hh` are
 * where their parts of the window begin, in rows `llStride` (LL) and `strideOf` their widths (the
 * others) bytes apart. Up to 32 bytes more are written behind the last row. `scratch` is room for 2
 * * (`strideOf` the width + 64) bytes.
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
  // Three steps behind the first, the last one ends; rows beyond the window are passed over.
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

/** A row of one high sample, or a column: F.3.6 and F.3.8.1.1. */
function halve(at: usize, bytes: usize, isReversible: bool): void {
  for (const end = at + bytes; at < end; at += 4)
    if (isReversible) store<i32>(at, load<i32>(at) / 2);
    else store<f32>(at, load<f32>(at) * 0.5);
}

// A row is lifted four low and four high samples at a time, each two steps in one go: what the
// second step wants of the first one is at hand. All four steps in one go are no faster, since each
// waits for the one before it.
//
// For that a row has to begin with a low sample. One which does not is taken to have one more at
// its beginning, as mirroring it gives, which is not written. Mirrored samples stay alike through
// all steps. So the end of a row is mirrored once: the last few of its samples, and two beyond
// them, of each kind, are put where they are read instead.

/** Rows have at least so many samples. */
const fewest: i32 = 12;
/**
 * Shorter ones are mirrored until they have so many, of which the last four are spoiled by what
 * they end with.
 */
const mirrored: i32 = 16;
/** Where the low and the high samples of those are. */
const fewLows: usize = memory.data(32, 16);
const fewHighs: usize = memory.data(32, 16);
/** Where the last samples of a row are, and what is beyond them. */
const endLows: usize = memory.data(48, 16);
const endHighs: usize = memory.data(48, 16);
/** Which bytes of its last four low ones, and of its last four high ones, are there. */
const lowPlaces: usize = memory.data(32, 16);
const highPlaces: usize = memory.data(32, 16);

/** Prepares for the ends of rows of `width` samples, the first of which is low. */
function prepareEnds(width: i32): void {
  const low = (width + 1) >> 1;
  const high = width >> 1;
  const whole = high & ~3;
  // The last sample is the middle of what is mirrored.
  const isLastLow = low - high;
  for (let at = 0; at < 8; at++) {
    store<i32>(lowPlaces + (<usize>at << 2), bytesOf(whole + at - low, 1 + isLastLow));
    store<i32>(highPlaces + (<usize>at << 2), bytesOf(whole + at - high, 2 - isLastLow));
  }
}

/**
 * Where the bytes of a sample are among the last four. Those that are not before the last, but
 * `beyond` it, are mirrored: the first of them is the `nearest`th from behind.
 */
function bytesOf(beyond: i32, nearest: i32): i32 {
  const sample = beyond < 0 ? 4 + beyond : max<i32>(0, 4 - nearest - beyond);
  return sample * 0x04040404 + 0x03020100;
}

/**
 * Puts the end of a row where it is read from: what is behind its last whole vector of high
 * samples.
 */
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

/** Mirrors a row of less than `fewest` samples, but more than one, at both its ends. */
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

/** Of each of four samples the one before it; `before` them were others. */
// @ts-ignore: decorator
@inline
function previous(before: v128, samples: v128): v128 {
  return v128.shuffle<i32>(before, samples, 3, 4, 5, 6);
}

/**
 * The same at the beginning of a row, where one is missing: it is as the first one, or as the
 * second one.
 */
// @ts-ignore: decorator
@inline
function previousOfFirst(samples: v128, isSecond: bool): v128 {
  if (isSecond) return v128.shuffle<i32>(samples, samples, 1, 0, 1, 2);
  return v128.shuffle<i32>(samples, samples, 0, 0, 1, 2);
}

/** Of each of four samples the one after it; `after` them are others. */
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
 * Low samples as they come; where the first one is missing, what is read before the others is as
 * the first of them.
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

/** F.3.8.1, F.3.8.2.1: a row, and all of it times `scale`, with which the columns begin. */
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

/** Leaves so many `bytes` of low and of high samples, and a vector more. */
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

/**
 * The steps of `lift53` of an even row, which is at `at`, and of the odd one before it; all
 * neighbours are there.
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

/**
 * The factors of all steps, to be read: as constants they are made anew for every vector (by V8
 * 11.3).
 */
const allFactors: usize = memory.data<f32>([
  delta, delta, delta, delta, gamma, gamma, gamma, gamma, beta, beta, beta, beta, alpha, alpha, alpha, alpha,
], 16);

/**
 * The steps of `lift97` of the row at `at` and of the three before it, one each, and then of the
 * row two behind it and of the three before that; all neighbours are there.
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

/** What is left of samples, less `factor` times both neighbours. */
// @ts-ignore: decorator
@inline
function lifted(samples: v128, before: v128, after: v128, factor: v128): v128 {
  return f32x4.sub(samples, f32x4.mul(f32x4.add(before, after), factor));
}
