// From coefficients to samples: quantizers, component transformations, levels and limits. Strides are in bytes.

/** Brings `count` coefficients of a region of interest down to their planes (ISO/IEC 15444-1, H.1). */
export function unshift(at: usize, count: i32, shift: u32): void {
  // In halves, the highest coefficient of what is around the region is below this.
  const least: i32 = 1 << (shift + 1);
  for (const end = at + (<usize>count << 2); at < end; at += 4) {
    const value = load<i32>(at);
    if (value >= least) store<i32>(at, value >> shift);
    else if (value <= -least) store<i32>(at, -(-value >> shift));
  }
}

/** Numbers of 16 bits become such of 32; whole vectors are written. */
export function widen(to: usize, from: usize, count: i32): void {
  for (const end = from + (<usize>count << 1); from < end; from += 8, to += 16)
    v128.store(to, i32x4.extend_low_i16x8_s(v128.load64_zero(from)));
}

/** Numbers of 32 bits that fit into 16 become such; whole vectors are written. */
export function narrow(to: usize, from: usize, count: i32): void {
  for (const end = from + (<usize>count << 2); from < end; from += 32, to += 16)
    v128.store(to, i16x8.narrow_i32x4_s(v128.load(from), v128.load(from, 16)));
}

/** Halves without loss: coefficients of a reversible block are copied into a band. */
export function placeWhole(to: usize, toStride: usize, from: usize, fromStride: usize, width: i32, height: i32): void {
  for (let row = 0; row < height; row++, to += toStride, from += fromStride) {
    let x: usize = 0;
    const whole = <usize>(width & ~3) << 2;
    for (; x < whole; x += 16) {
      const value = v128.load(from + x);
      v128.store(to + x, i32x4.shr_s(i32x4.add(value, i32x4.shr_u(value, 31)), 1));
    }
    for (const end = <usize>width << 2; x < end; x += 4) store<i32>(to + x, load<i32>(from + x) / 2);
  }
}

/** Coefficients times half the quantizer's step are copied into a band (E-8). */
export function placeScaled(
  to: usize,
  toStride: usize,
  from: usize,
  fromStride: usize,
  width: i32,
  height: i32,
  half: f32,
): void {
  const factor = f32x4.splat(half);
  for (let row = 0; row < height; row++, to += toStride, from += fromStride) {
    let x: usize = 0;
    const whole = <usize>(width & ~3) << 2;
    for (; x < whole; x += 16)
      v128.store(to + x, f32x4.mul(f32x4.convert_i32x4_s(v128.load(from + x)), factor));
    for (const end = <usize>width << 2; x < end; x += 4) store<f32>(to + x, <f32>load<i32>(from + x) * half);
  }
}

/** G.2.2, in place; vectors go beyond `width`. */
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

/** G.3.2, in place; vectors go beyond `width`. */
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

/** Rounds floating point, and adds `levels` to what is kept between `lower` and `upper`, so that nothing overflows. */
// @ts-ignore: decorator
@inline
function levelled(value: v128, isWhole: bool, levels: v128, lower: v128, upper: v128): v128 {
  const whole = isWhole ? value : i32x4.trunc_sat_f32x4_s(f32x4.nearest(value));
  return i32x4.add(i32x4.min_s(i32x4.max_s(whole, lower), upper), levels);
}

/**
 * Rounds floating point, adds `level`, and keeps what comes out between `least` and `most`; in place, vectors go
 * beyond `width`.
 */
export function toLevels(
  at: usize,
  stride: usize,
  width: i32,
  height: i32,
  isWhole: bool,
  level: i32,
  least: i32,
  most: i32,
): void {
  const levels = i32x4.splat(level);
  const lower = i32x4.splat(least - level);
  const upper = i32x4.splat(most - level);
  for (let row = 0; row < height; row++, at += stride)
    for (let x: usize = 0, end = <usize>width << 2; x < end; x += 16)
      v128.store(at + x, levelled(v128.load(at + x), isWhole, levels, lower, upper));
}

/** Samples of 0 to 255 as bytes, row behind row without gaps; up to 15 bytes more are written behind the last. */
export function packBytes(to: usize, from: usize, stride: usize, width: i32, height: i32): void {
  for (let row = 0; row < height; row++, from += stride, to += width)
    for (let x: usize = 0, at = from, end = <usize>width; x < end; x += 16, at += 64) {
      const low = i16x8.narrow_i32x4_s(v128.load(at), v128.load(at, 16));
      const high = i16x8.narrow_i32x4_s(v128.load(at, 32), v128.load(at, 48));
      v128.store(to + x, i8x16.narrow_i16x8_u(low, high));
    }
}

/** Samples of 0 to 65,535 in 16 bits, as `packBytes`. */
export function packShorts(to: usize, from: usize, stride: usize, width: i32, height: i32): void {
  for (let row = 0; row < height; row++, from += stride, to += <usize>width << 1)
    for (let x: usize = 0, at = from, end = <usize>width; x < end; x += 8, at += 32)
      v128.store(to + (x << 1), i16x8.narrow_i32x4_u(v128.load(at), v128.load(at, 16)));
}

/** Samples of 32 bits, as `packBytes`. */
export function packLongs(to: usize, from: usize, stride: usize, width: i32, height: i32): void {
  for (let row = 0; row < height; row++, from += stride, to += <usize>width << 2)
    memory.copy(to, from, <usize>width << 2);
}

/** Puts `count` bytes `components` apart. */
export function spreadBytes(to: usize, from: usize, count: i32, components: i32): void {
  for (const end = from + count; from < end; from++, to += components) store<u8>(to, load<u8>(from));
}

/** Four samples of the component `which` (0 to 2) of RGB before levels are shifted, of three components as they are, or transformed (G.2.2, G.3.2). */
// @ts-ignore: decorator
@inline
function four(which: i32, isTransformed: bool, isWhole: bool, first: usize, second: usize, third: usize): v128 {
  if (!isTransformed) return v128.load(which == 0 ? first : which == 1 ? second : third);
  const y = v128.load(first);
  if (isWhole) {
    const u = v128.load(second);
    const v = v128.load(third);
    const green = i32x4.sub(y, i32x4.shr_s(i32x4.add(u, v), 2));
    return which == 1 ? green : i32x4.add(which == 0 ? v : u, green);
  }
  if (which == 0) return f32x4.add(y, f32x4.mul(v128.load(third), f32x4.splat(1.402)));
  if (which == 2) return f32x4.add(y, f32x4.mul(v128.load(second), f32x4.splat(1.772)));
  const green = f32x4.sub(y, f32x4.mul(v128.load(second), f32x4.splat(0.34413)));
  return f32x4.sub(green, f32x4.mul(v128.load(third), f32x4.splat(0.71414)));
}

/** What is added to small numbers in floating point so that what stands lowest is the number rounded, ties to even; and its bits. */
const rounding: f32 = 12_582_912;
const roundingBits: i32 = 0x4b40_0000;

/**
 * As `levelled`, of at most 8 bits: `lower` and `upper` in floating point where samples are, and `levels` less
 * `roundingBits` then.
 */
// @ts-ignore: decorator
@inline
function levelledByte(value: v128, isWhole: bool, levels: v128, lower: v128, upper: v128): v128 {
  if (isWhole) return i32x4.add(i32x4.min_s(i32x4.max_s(value, lower), upper), levels);
  const kept = f32x4.pmin(upper, f32x4.pmax(lower, value));
  return i32x4.add(f32x4.add(kept, f32x4.splat(rounding)), levels);
}

/** Sixteen of them as bytes. */
// @ts-ignore: decorator
@inline
function sixteen(
  which: i32,
  isTransformed: bool,
  isWhole: bool,
  first: usize,
  second: usize,
  third: usize,
  levels: v128,
  lower: v128,
  upper: v128,
): v128 {
  const a = four(which, isTransformed, isWhole, first, second, third);
  const b = four(which, isTransformed, isWhole, first + 16, second + 16, third + 16);
  const c = four(which, isTransformed, isWhole, first + 32, second + 32, third + 32);
  const d = four(which, isTransformed, isWhole, first + 48, second + 48, third + 48);
  const low = i16x8.narrow_i32x4_s(
    levelledByte(a, isWhole, levels, lower, upper),
    levelledByte(b, isWhole, levels, lower, upper),
  );
  const high = i16x8.narrow_i32x4_s(
    levelledByte(c, isWhole, levels, lower, upper),
    levelledByte(d, isWhole, levels, lower, upper),
  );
  return i8x16.narrow_i16x8_u(low, high);
}

// @ts-ignore: decorator
@inline
function pixelRows(
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
  least: i32,
  most: i32,
): void {
  const levels = i32x4.splat(isWhole ? level : level - roundingBits);
  const lower = isWhole ? i32x4.splat(least - level) : f32x4.splat(<f32>(least - level));
  const upper = isWhole ? i32x4.splat(most - level) : f32x4.splat(<f32>(most - level));
  for (let row = 0; row < height; row++, to += <usize>width * 3) {
    let target = to;
    for (let at: usize = 0, end = <usize>width << 2; at < end; at += 64, target += 48) {
      const one = first + at;
      const two = second + at;
      const three = third + at;
      storeThree(
        target,
        sixteen(0, isTransformed, isWhole, one, two, three, levels, lower, upper),
        sixteen(1, isTransformed, isWhole, one, two, three, levels, lower, upper),
        sixteen(2, isTransformed, isWhole, one, two, three, levels, lower, upper),
      );
    }
    first += stride;
    second += stride;
    third += stride;
  }
}

/**
 * Makes pixels of three bytes of three components, whose rows are `stride` bytes apart: transforms them to RGB where
 * `isTransformed` (G.2.2 where `isWhole`, else G.3.2), adds `level` and keeps what comes out between `least` and `most`, all
 * as `toRgbWhole`, `toRgbScaled` and `toLevels` do. Vectors are read beyond `width`; up to 45 bytes more are written
 * behind the last.
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
  least: i32,
  most: i32,
): void {
  if (isTransformed) {
    if (isWhole) pixelRows(to, first, second, third, stride, width, height, true, true, level, least, most);
    else pixelRows(to, first, second, third, stride, width, height, true, false, level, least, most);
  } else if (isWhole) pixelRows(to, first, second, third, stride, width, height, false, true, level, least, most);
  else pixelRows(to, first, second, third, stride, width, height, false, false, level, least, most);
}

/** Which of sixteen bytes go where in the first, second and third sixteen of their pixels: of each the first component first. */
const places: usize = memory.data<u8>([
  0, 128, 128, 1, 128, 128, 2, 128, 128, 3, 128, 128, 4, 128, 128, 5,
  128, 0, 128, 128, 1, 128, 128, 2, 128, 128, 3, 128, 128, 4, 128, 128,
  128, 128, 0, 128, 128, 1, 128, 128, 2, 128, 128, 3, 128, 128, 4, 128,
  128, 128, 6, 128, 128, 7, 128, 128, 8, 128, 128, 9, 128, 128, 10, 128,
  5, 128, 128, 6, 128, 128, 7, 128, 128, 8, 128, 128, 9, 128, 128, 10,
  128, 5, 128, 128, 6, 128, 128, 7, 128, 128, 8, 128, 128, 9, 128, 128,
  128, 11, 128, 128, 12, 128, 128, 13, 128, 128, 14, 128, 128, 15, 128, 128,
  128, 128, 11, 128, 128, 12, 128, 128, 13, 128, 128, 14, 128, 128, 15, 128,
  10, 128, 128, 11, 128, 128, 12, 128, 128, 13, 128, 128, 14, 128, 128, 15,
]);

// @ts-ignore: decorator
@inline
function interleaved(r: v128, g: v128, b: v128, at: usize): v128 {
  const two = v128.or(i8x16.swizzle(r, v128.load(at)), i8x16.swizzle(g, v128.load(at, 16)));
  return v128.or(two, i8x16.swizzle(b, v128.load(at, 32)));
}

/** Interleaves three times sixteen bytes. */
// @ts-ignore: decorator
@inline
function storeThree(to: usize, r: v128, g: v128, b: v128): void {
  v128.store(to, interleaved(r, g, b, places));
  v128.store(to, interleaved(r, g, b, places + 48), 16);
  v128.store(to, interleaved(r, g, b, places + 96), 32);
}
