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
  // Before the level is added, so that nothing overflows.
  const lower = i32x4.splat(least - level);
  const upper = i32x4.splat(most - level);
  for (let row = 0; row < height; row++, at += stride)
    for (let x: usize = 0, end = <usize>width << 2; x < end; x += 16) {
      let value = v128.load(at + x);
      if (!isWhole) value = i32x4.trunc_sat_f32x4_s(f32x4.nearest(value));
      value = i32x4.add(i32x4.min_s(i32x4.max_s(value, lower), upper), levels);
      v128.store(at + x, value);
    }
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

/** Interleaves three components of `count` bytes; up to 47 bytes more are written behind the last. */
export function interleaveThree(to: usize, red: usize, green: usize, blue: usize, count: i32): void {
  for (let x = 0; x < count; x += 16, to += 48) {
    const r = v128.load(red + x);
    const g = v128.load(green + x);
    const b = v128.load(blue + x);
    const early = v128.shuffle<u8>(r, g, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    v128.store(to, v128.shuffle<u8>(early, b, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
    const middle = v128.shuffle<u8>(r, g, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    v128.store(to, v128.shuffle<u8>(middle, b, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15), 16);
    const late = v128.shuffle<u8>(r, g, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    v128.store(to, v128.shuffle<u8>(late, b, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31), 32);
  }
}
