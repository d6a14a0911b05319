// From decoded blocks to bands: coefficients are in halves, in 32 or 16 bits. Strides are in bytes.

/**
 * Shifts `count` coefficients of a region of interest down to their planes (ISO/IEC 15444-1, H.1).
 */
export function unshift(at: usize, count: i32, shift: u32): void {
  // In halves, all background coefficients are below this.
  const least: i32 = 1 << (shift + 1);
  for (const end = at + (<usize>count << 2); at < end; at += 4) {
    const value = load<i32>(at);
    if (value >= least) store<i32>(at, value >> shift);
    else if (value <= -least) store<i32>(at, -(-value >> shift));
  }
}

/** Widens 16-bit numbers to 32 bits; writes whole vectors. */
export function widen(to: usize, from: usize, count: i32): void {
  for (const end = from + (<usize>count << 1); from < end; from += 8, to += 16)
    v128.store(to, i32x4.extend_low_i16x8_s(v128.load64_zero(from)));
}

/** Narrows 32-bit numbers that fit to 16 bits; writes whole vectors. */
export function narrow(to: usize, from: usize, count: i32): void {
  for (const end = from + (<usize>count << 2); from < end; from += 32, to += 16)
    v128.store(to, i16x8.narrow_i32x4_s(v128.load(from), v128.load(from, 16)));
}

/** Clears the bytes after the `width` 32-bit numbers of each row of `stride` bytes. */
export function clearBeside(at: usize, stride: usize, width: i32, height: i32): void {
  const used = <usize>width << 2;
  for (let row = 0; row < height; row++, at += stride)
    for (let x = used; x < stride; x += 4) store<i32>(at + x, 0);
}

// @ts-ignore: decorator
@inline
function halved(value: v128): v128 {
  return i32x4.shr_s(i32x4.add(value, i32x4.shr_u(value, 31)), 1);
}

// @ts-ignore: decorator
@inline
function scaled(value: v128, factor: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(value), factor);
}

// @ts-ignore: decorator
@inline
function placed(four: v128, isWhole: bool, factor: v128): v128 {
  return isWhole ? halved(four) : scaled(four, factor);
}

/**
 * Copies coefficients into a band: converted losslessly from halves, as integers, if `isWhole`; else
 * in floating point, times `half` of the quantizer's step (E-8).
 */
export function placeLongs(
  to: usize,
  toStride: usize,
  from: usize,
  fromStride: usize,
  width: i32,
  height: i32,
  isWhole: bool,
  half: f32,
): void {
  if (isWhole) longs(to, toStride, from, fromStride, width, height, true, half);
  else longs(to, toStride, from, fromStride, width, height, false, half);
}

// @ts-ignore: decorator
@inline
function longs(
  to: usize,
  toStride: usize,
  from: usize,
  fromStride: usize,
  width: i32,
  height: i32,
  isWhole: bool,
  half: f32,
): void {
  const factor = f32x4.splat(half);
  const vectors = <usize>(width & ~3) << 2;
  for (let row = 0; row < height; row++, to += toStride, from += fromStride) {
    let x: usize = 0;
    for (; x < vectors; x += 16) v128.store(to + x, placed(v128.load(from + x), isWhole, factor));
    for (const end = <usize>width << 2; x < end; x += 4) {
      const value = load<i32>(from + x);
      if (isWhole) store<i32>(to + x, value / 2);
      else store<f32>(to + x, <f32>value * half);
    }
  }
}

/** As `placeLongs`, for 16-bit coefficients; reads up to 6 bytes after the last of a row. */
export function placeShorts(
  to: usize,
  toStride: usize,
  from: usize,
  fromStride: usize,
  width: i32,
  height: i32,
  isWhole: bool,
  half: f32,
): void {
  if (isWhole) shorts(to, toStride, from, fromStride, width, height, true, half);
  else shorts(to, toStride, from, fromStride, width, height, false, half);
}

// @ts-ignore: decorator
@inline
function shorts(
  to: usize,
  toStride: usize,
  from: usize,
  fromStride: usize,
  width: i32,
  height: i32,
  isWhole: bool,
  half: f32,
): void {
  const factor = f32x4.splat(half);
  const whole = <usize>(width & ~7);
  if (whole > 0)
    for (let row = 0, target = to, source = from; row < height; row++, target += toStride, source += fromStride)
      for (let x: usize = 0; x < whole; x += 8) {
        const eight = v128.load(source + (x << 1));
        v128.store(target + (x << 2), placed(i32x4.extend_low_i16x8_s(eight), isWhole, factor));
        v128.store(target + (x << 2), placed(i32x4.extend_high_i16x8_s(eight), isWhole, factor), 16);
      }
  to += whole << 2;
  from += whole << 1;
  if ((width & 4) != 0) {
    strip(to, toStride, from, fromStride, 4, height, isWhole, factor);
    to += 16;
    from += 8;
  }
  if ((width & 3) != 0) strip(to, toStride, from, fromStride, width & 3, height, isWhole, factor);
}

/** 1 to 4 columns: most are margins of neighbouring tiles. */
// @ts-ignore: decorator
@inline
function strip(
  to: usize,
  toStride: usize,
  from: usize,
  fromStride: usize,
  width: i32,
  height: i32,
  isWhole: bool,
  factor: v128,
): void {
  for (let row = 0; row < height; row++, to += toStride, from += fromStride) {
    const four = placed(i32x4.extend_low_i16x8_s(v128.load64_zero(from)), isWhole, factor);
    if (width == 4) v128.store(to, four);
    else if (width == 1) v128.store_lane<u32>(to, four, 0);
    else {
      v128.store_lane<u64>(to, four, 0);
      if (width == 3) v128.store_lane<u32>(to, four, 2, 8);
    }
  }
}
