// From components to samples: component transforms, level shift and clamping. Strides are in bytes.

/** G.2.2, in place; vectors write past `width`. */
export function toRgbWhole(
  first: usize,
  second: usize,
  third: usize,
  stride: usize,
  width: i32,
  height: i32,
): void {
  for (let row = 0; row < height; row++, first += stride, second += stride, third += stride)
    for (let x: usize = 0, end = <usize>width << 2; x < end; x += 16) {
      const u = v128.load(second + x);
      const v = v128.load(third + x);
      const green = i32x4.sub(v128.load(first + x), i32x4.shr_s(i32x4.add(u, v), 2));
      v128.store(first + x, i32x4.add(v, green));
      v128.store(second + x, green);
      v128.store(third + x, i32x4.add(u, green));
    }
}

/** G.3.2, in place; vectors write past `width`. */
export function toRgbScaled(
  first: usize,
  second: usize,
  third: usize,
  stride: usize,
  width: i32,
  height: i32,
): void {
  const redOfRed = f32x4.splat(1.402);
  const greenOfBlue = f32x4.splat(0.34413);
  const greenOfRed = f32x4.splat(0.71414);
  const blueOfBlue = f32x4.splat(1.772);
  for (let row = 0; row < height; row++, first += stride, second += stride, third += stride)
    for (let x: usize = 0, end = <usize>width << 2; x < end; x += 16) {
      const y = v128.load(first + x);
      const blue = v128.load(second + x);
      const red = v128.load(third + x);
      v128.store(first + x, f32x4.add(y, f32x4.mul(red, redOfRed)));
      const green = f32x4.sub(y, f32x4.mul(blue, greenOfBlue));
      v128.store(second + x, f32x4.sub(green, f32x4.mul(red, greenOfRed)));
      v128.store(third + x, f32x4.add(y, f32x4.mul(blue, blueOfBlue)));
    }
}

/**
 * Rounds floating point, clamps it to `lower` and `upper`, then adds `levels`, so that nothing
 * overflows.
 */
// @ts-ignore: decorator
@inline
function levelled(value: v128, isWhole: bool, levels: v128, lower: v128, upper: v128): v128 {
  const whole = isWhole ? value : i32x4.trunc_sat_f32x4_s(f32x4.nearest(value));
  return i32x4.add(i32x4.min_s(i32x4.max_s(whole, lower), upper), levels);
}

/**
 * Rounds floating point, adds `level`, and clamps the result to `minValue` and `maxValue`; in
 * place, vectors write past `width`.
 */
export function toLevels(
  at: usize,
  stride: usize,
  width: i32,
  height: i32,
  isWhole: bool,
  level: i32,
  minValue: i32,
  maxValue: i32,
): void {
  const levels = i32x4.splat(level);
  const lower = i32x4.splat(minValue - level);
  const upper = i32x4.splat(maxValue - level);
  for (let row = 0; row < height; row++, at += stride)
    for (let x: usize = 0, end = <usize>width << 2; x < end; x += 16)
      v128.store(at + x, levelled(v128.load(at + x), isWhole, levels, lower, upper));
}

/**
 * Packs samples of 0 to 255 as bytes, row after row without gaps; up to 15 more bytes are written
 * after the last.
 */
export function packBytes(to: usize, from: usize, stride: usize, width: i32, height: i32): void {
  for (let row = 0; row < height; row++, from += stride, to += width)
    for (let x: usize = 0, at = from, end = <usize>width; x < end; x += 16, at += 64) {
      const low = i16x8.narrow_i32x4_s(v128.load(at), v128.load(at, 16));
      const high = i16x8.narrow_i32x4_s(v128.load(at, 32), v128.load(at, 48));
      v128.store(to + x, i8x16.narrow_i16x8_u(low, high));
    }
}

/** As `packBytes`, for samples of 0 to 65,535 in 16 bits. */
export function packShorts(to: usize, from: usize, stride: usize, width: i32, height: i32): void {
  for (let row = 0; row < height; row++, from += stride, to += <usize>width << 1)
    for (let x: usize = 0, at = from, end = <usize>width; x < end; x += 8, at += 32)
      v128.store(to + (x << 1), i16x8.narrow_i32x4_u(v128.load(at), v128.load(at, 16)));
}

/** As `packBytes`, for samples of 32 bits. */
export function packLongs(to: usize, from: usize, stride: usize, width: i32, height: i32): void {
  for (let row = 0; row < height; row++, from += stride, to += <usize>width << 2)
    memory.copy(to, from, <usize>width << 2);
}

/** Writes `count` bytes, `components` bytes apart. */
export function spreadBytes(to: usize, from: usize, count: i32, components: i32): void {
  for (const end = from + count; from < end; from++, to += components) store<u8>(to, load<u8>(from));
}

/** Eight pixels: components of 0 to 255 in 16 bits. Writes four more bytes. */
// @ts-ignore: decorator
@inline
function storeEight(to: usize, red: v128, green: v128, blue: v128): void {
  const both = v128.or(red, i16x8.shl(green, 8));
  const bytes = i8x16(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  v128.store(to, i8x16.swizzle(v128.shuffle<i16>(both, blue, 0, 8, 1, 9, 2, 10, 3, 11), bytes));
  v128.store(to, i8x16.swizzle(v128.shuffle<i16>(both, blue, 4, 12, 5, 13, 6, 14, 7, 15), bytes), 12);
}

/** Eight samples as 16-bit integers: clamped to `lower` and `upper`, then `levels` added. */
// @ts-ignore: decorator
@inline
function wholeShorts(low: v128, high: v128, levels: v128, lower: v128, upper: v128): v128 {
  return i16x8.narrow_i32x4_s(
    levelled(low, true, levels, lower, upper),
    levelled(high, true, levels, lower, upper),
  );
}

/**
 * Adding this to a small floating-point number leaves the rounded number, ties to even, in its
 * lowest bits; and the bits of this constant.
 */
const rounding: f32 = 12_582_912;
const roundingBits: i32 = 0x4b40_0000;

/**
 * Four floating-point samples: at least `lower`, rounded, with `levels` added, which are reduced by
 * `roundingBits`. Numbers too large to be rounded this way stay too large.
 */
// @ts-ignore: decorator
@inline
function rounded(value: v128, levels: v128, lower: v128, roundings: v128): v128 {
  return i32x4.add(f32x4.add(f32x4.pmax(lower, value), roundings), levels);
}

/** Eight of them in 16 bits, at most `maxima`. */
// @ts-ignore: decorator
@inline
function roundedShorts(low: v128, high: v128, levels: v128, lower: v128, roundings: v128, maxima: v128): v128 {
  const shorts = i16x8.narrow_i32x4_s(
    rounded(low, levels, lower, roundings),
    rounded(high, levels, lower, roundings),
  );
  return i16x8.min_s(shorts, maxima);
}

/** The weights of G.3.2, and `rounding`, in memory: V8 11.3 rebuilds constants for every vector. */
const weights: usize = memory.data<f32>([
  1.402, 1.402, 1.402, 1.402, 0.34413, 0.34413, 0.34413, 0.34413, 0.71414, 0.71414, 0.71414, 0.71414,
  1.772, 1.772, 1.772, 1.772, rounding, rounding, rounding, rounding,
], 16);

/** A row of pixels, transformed as by `toRgbScaled`. */
function scaledRgbRow(
  to: usize,
  first: usize,
  second: usize,
  third: usize,
  width: i32,
  level: i32,
  minValue: i32,
  maxValue: i32,
): void {
  const redOfRed = v128.load(weights);
  const greenOfBlue = v128.load(weights, 16);
  const greenOfRed = v128.load(weights, 32);
  const blueOfBlue = v128.load(weights, 48);
  const roundings = v128.load(weights, 64);
  const levels = i32x4.splat(level - roundingBits);
  const lower = f32x4.splat(<f32>(minValue - level));
  const upper = i16x8.splat(<i16>maxValue);
  for (const end = first + (<usize>width << 2); first < end; first += 32, second += 32, third += 32, to += 24) {
    const y = v128.load(first);
    const nextY = v128.load(first, 16);
    const blue = v128.load(second);
    const nextBlue = v128.load(second, 16);
    const red = v128.load(third);
    const nextRed = v128.load(third, 16);
    const reds = roundedShorts(
      f32x4.add(y, f32x4.mul(red, redOfRed)),
      f32x4.add(nextY, f32x4.mul(nextRed, redOfRed)),
      levels,
      lower,
      roundings,
      upper,
    );
    const greens = roundedShorts(
      f32x4.sub(f32x4.sub(y, f32x4.mul(blue, greenOfBlue)), f32x4.mul(red, greenOfRed)),
      f32x4.sub(f32x4.sub(nextY, f32x4.mul(nextBlue, greenOfBlue)), f32x4.mul(nextRed, greenOfRed)),
      levels,
      lower,
      roundings,
      upper,
    );
    const blues = roundedShorts(
      f32x4.add(y, f32x4.mul(blue, blueOfBlue)),
      f32x4.add(nextY, f32x4.mul(nextBlue, blueOfBlue)),
      levels,
      lower,
      roundings,
      upper,
    );
    storeEight(to, reds, greens, blues);
  }
}

/** A row of pixels without a transform, in floating point. */
function scaledRow(
  to: usize,
  first: usize,
  second: usize,
  third: usize,
  width: i32,
  level: i32,
  minValue: i32,
  maxValue: i32,
): void {
  const roundings = v128.load(weights, 64);
  const levels = i32x4.splat(level - roundingBits);
  const lower = f32x4.splat(<f32>(minValue - level));
  const upper = i16x8.splat(<i16>maxValue);
  for (const end = first + (<usize>width << 2); first < end; first += 32, second += 32, third += 32, to += 24)
    storeEight(
      to,
      roundedShorts(v128.load(first), v128.load(first, 16), levels, lower, roundings, upper),
      roundedShorts(v128.load(second), v128.load(second, 16), levels, lower, roundings, upper),
      roundedShorts(v128.load(third), v128.load(third, 16), levels, lower, roundings, upper),
    );
}

/** A row of pixels, transformed as by `toRgbWhole`. */
function wholeRgbRow(
  to: usize,
  first: usize,
  second: usize,
  third: usize,
  width: i32,
  level: i32,
  minValue: i32,
  maxValue: i32,
): void {
  const levels = i32x4.splat(level);
  const lower = i32x4.splat(minValue - level);
  const upper = i32x4.splat(maxValue - level);
  for (const end = first + (<usize>width << 2); first < end; first += 32, second += 32, third += 32, to += 24) {
    const u = v128.load(second);
    const nextU = v128.load(second, 16);
    const v = v128.load(third);
    const nextV = v128.load(third, 16);
    const green = i32x4.sub(v128.load(first), i32x4.shr_s(i32x4.add(u, v), 2));
    const nextGreen = i32x4.sub(v128.load(first, 16), i32x4.shr_s(i32x4.add(nextU, nextV), 2));
    storeEight(
      to,
      wholeShorts(i32x4.add(v, green), i32x4.add(nextV, nextGreen), levels, lower, upper),
      wholeShorts(green, nextGreen, levels, lower, upper),
      wholeShorts(i32x4.add(u, green), i32x4.add(nextU, nextGreen), levels, lower, upper),
    );
  }
}

/** A row of pixels without a transform, in integers. */
function wholeRow(
  to: usize,
  first: usize,
  second: usize,
  third: usize,
  width: i32,
  level: i32,
  minValue: i32,
  maxValue: i32,
): void {
  const levels = i32x4.splat(level);
  const lower = i32x4.splat(minValue - level);
  const upper = i32x4.splat(maxValue - level);
  for (const end = first + (<usize>width << 2); first < end; first += 32, second += 32, third += 32, to += 24)
    storeEight(
      to,
      wholeShorts(v128.load(first), v128.load(first, 16), levels, lower, upper),
      wholeShorts(v128.load(second), v128.load(second, 16), levels, lower, upper),
      wholeShorts(v128.load(third), v128.load(third, 16), levels, lower, upper),
    );
}

/**
 * Makes three-byte pixels from three components, whose rows are `stride` bytes apart: transforms
 * them to RGB if `isTransformed` (G.2.2 if `isWhole`, else G.3.2), adds `level` and clamps the
 * result to `minValue` and `maxValue`, as `toRgbWhole`, `toRgbScaled`, `toLevels` and `packBytes`
 * do, except that NaN becomes the minimum. Vectors are read past `width`; up to 25 more bytes are
 * written after the last.
 */
export function pixelsOfThree(
  to: usize,
  first: usize,
  second: usize,
  third: usize,
  stride: usize,
  width: i32,
  height: i32,
  isTransformed: bool,
  isWhole: bool,
  level: i32,
  minValue: i32,
  maxValue: i32,
): void {
  // Other values do not fit a byte.
  minValue = max<i32>(minValue, 0);
  maxValue = min<i32>(maxValue, 255);
  for (let row = 0; row < height; row++, first += stride, second += stride, third += stride, to += <usize>width * 3)
    if (isWhole) {
      if (isTransformed) wholeRgbRow(to, first, second, third, width, level, minValue, maxValue);
      else wholeRow(to, first, second, third, width, level, minValue, maxValue);
    } else if (isTransformed) scaledRgbRow(to, first, second, third, width, level, minValue, maxValue);
    else scaledRow(to, first, second, third, width, level, minValue, maxValue);
}
