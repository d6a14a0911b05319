/**
 * Half of what is shifted away, for rounding: 6 bits of the sums from `down`, 14 of the weights.
 */
const half: i32 = 1 << 19;

/**
 * Scales two rows of three-sample pixels, `toStep` bytes apart, from two rows of sums that `down`
 * wrote `fromStep` bytes apart, with the same weights. Output pixel n starts `starts[n]` bytes
 * (32-bit) after `from`, and is the weighted sum of `pairs` pairs of neighbouring pixels.
 */
export function acrossColour(
  to: usize,
  toStep: usize,
  from: usize,
  fromStep: usize,
  starts: usize,
  weights: usize,
  pairs: i32,
  pixels: i32,
): void {
  for (let pixel = 0; pixel < pixels; pixel++) {
    let at = from + load<u32>(starts + (<usize>pixel << 2));
    let upper = i32x4.splat(half);
    let lower = i32x4.splat(half);
    for (let pair = 0; pair < pairs; pair++) {
      const weight = v128.load32_splat(weights);
      upper = i32x4.add(upper, i32x4.dot_i16x8_s(twoPixels(at), weight));
      lower = i32x4.add(lower, i32x4.dot_i16x8_s(twoPixels(at + fromStep), weight));
      weights += 4;
      at += 12;
    }
    const both = bytesOf(upper, lower);
    // Four bytes at once; the next pixel overwrites the last one.
    if (pixel < pixels - 1) {
      v128.store32_lane(to, both, 0);
      v128.store32_lane(to + toStep, both, 1);
    } else {
      v128.store16_lane(to, both, 0);
      v128.store8_lane(to, both, 2, 2);
      v128.store16_lane(to + toStep, both, 2);
      v128.store8_lane(to + toStep, both, 6, 2);
    }
    to += 3;
  }
}

/**
 * As `acrossColour`, for one sample per pixel: the weighted sum of `eights` groups of eight
 * neighbours.
 */
export function acrossGrey(
  to: usize,
  toStep: usize,
  from: usize,
  fromStep: usize,
  starts: usize,
  weights: usize,
  eights: i32,
  pixels: i32,
): void {
  for (let pixel = 0; pixel < pixels; pixel++) {
    let at = from + load<u32>(starts + (<usize>pixel << 2));
    let upper = i32x4.splat(0);
    let lower = i32x4.splat(0);
    for (let eight = 0; eight < eights; eight++) {
      const weight = v128.load(weights);
      upper = i32x4.add(upper, i32x4.dot_i16x8_s(v128.load(at), weight));
      lower = i32x4.add(lower, i32x4.dot_i16x8_s(v128.load(at + fromStep), weight));
      weights += 16;
      at += 16;
    }
    const both = bytesOf(total(upper), total(lower));
    v128.store8_lane(to, both, 0);
    v128.store8_lane(to + toStep, both, 4);
    to++;
  }
}

/** Red beside red, green beside green, blue beside blue; the rest is unused. */
// @ts-ignore: decorator
@inline
function twoPixels(at: usize): v128 {
  return v128.shuffle<i16>(v128.load64_zero(at), v128.load64_zero(at, 6), 0, 8, 1, 9, 2, 10, 3, 11);
}

// @ts-ignore: decorator
@inline
function total(sums: v128): v128 {
  const halves = i32x4.add(sums, v128.shuffle<i32>(sums, sums, 2, 3, 0, 1));
  const all = i32x4.add(halves, v128.shuffle<i32>(halves, halves, 1, 0, 3, 2));
  return i32x4.add(all, i32x4.splat(half));
}

/** The upper four in the first four bytes, the lower four in the next. */
// @ts-ignore: decorator
@inline
function bytesOf(upper: v128, lower: v128): v128 {
  const words = i16x8.narrow_i32x4_s(i32x4.shr_s(upper, 20), i32x4.shr_s(lower, 20));
  return i8x16.narrow_i16x8_u(words, words);
}
