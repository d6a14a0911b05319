import { lowerNumbers, numbers } from "./magnitudes";

/**
 * The conversion of numbers at the midpoint of their interval: none, lossless from halves, or to
 * floating point.
 */
export const asTheyAre: i32 = 0;
export const asWhole: i32 = 1;
export const asScaled: i32 = 2;

// @ts-ignore: decorator
@inline
function placed(value: v128, kind: i32, plane: i32, factor: v128): v128 {
  if (kind == asScaled) return f32x4.mul(f32x4.convert_i32x4_s(value), factor);
  const shifted = i32x4.shl(value, plane);
  if (kind == asTheyAre) return shifted;
  return i32x4.shr_s(i32x4.add(shifted, i32x4.shr_u(shifted, 31)), 1);
}

/** Writes the first `count` (1 to 4) lanes. */
// @ts-ignore: decorator
@inline
function storeSome(to: usize, value: v128, count: i32): void {
  if (count == 4) {
    v128.store(to, value);
    return;
  }
  store<i32>(to, i32x4.extract_lane(value, 0));
  if (count > 1) store<i32>(to, i32x4.extract_lane(value, 1), 4);
  if (count > 2) store<i32>(to, i32x4.extract_lane(value, 2), 8);
}

// @ts-ignore: decorator
@inline
function narrowRows(upper: usize, lower: usize, from: usize, width: i32, kind: i32, plane: i32, factor: v128): void {
  if (upper != 0 && lower != 0) {
    for (; width >= 4; width -= 4, from += 16, upper += 16, lower += 16) {
      const both = v128.load(from);
      v128.store(upper, placed(i32x4.shr_s(i32x4.shl(both, 16), 16), kind, plane, factor));
      v128.store(lower, placed(i32x4.shr_s(both, 16), kind, plane, factor));
    }
    if (width == 0) return;
  }
  for (; width > 0; width -= 4, from += 16) {
    const both = v128.load(from);
    const count = min<i32>(width, 4);
    if (upper != 0) {
      storeSome(upper, placed(i32x4.shr_s(i32x4.shl(both, 16), 16), kind, plane, factor), count);
      upper += 16;
    }
    if (lower != 0) {
      storeSome(lower, placed(i32x4.shr_s(both, 16), kind, plane, factor), count);
      lower += 16;
    }
  }
}

// @ts-ignore: decorator
@inline
function wideRow(to: usize, from: usize, width: i32, kind: i32, plane: i32, factor: v128): void {
  for (; width > 0; width -= 4, from += 16, to += 16)
    storeSome(to, placed(v128.load(from), kind, plane, factor), min<i32>(width, 4));
}

// @ts-ignore: decorator
@inline
function rowsOf(
  upper: usize,
  lower: usize,
  left: i32,
  width: i32,
  isNarrow: bool,
  kind: i32,
  plane: i32,
  factor: v128,
): void {
  const skipped = <usize>left << 2;
  if (isNarrow) {
    narrowRows(upper, lower, numbers + skipped, width, kind, plane, factor);
    return;
  }
  if (upper != 0) wideRow(upper, numbers + skipped, width, kind, plane, factor);
  if (lower != 0) wideRow(lower, lowerNumbers + skipped, width, kind, plane, factor);
}

/**
 * Writes `width` numbers, from column `left` on, of the last rows read to `upper` and `lower`,
 * unless these are 0. Integers are multiplied by 2 to the power of `plane`, floating point by
 * `factor`.
 */
export function placeRows(
  upper: usize,
  lower: usize,
  left: i32,
  width: i32,
  isNarrow: bool,
  kind: i32,
  plane: i32,
  factor: f32,
): void {
  const factors = f32x4.splat(factor);
  if (kind == asScaled) rowsOf(upper, lower, left, width, isNarrow, asScaled, plane, factors);
  else if (kind == asWhole) rowsOf(upper, lower, left, width, isNarrow, asWhole, plane, factors);
  else rowsOf(upper, lower, left, width, isNarrow, asTheyAre, plane, factors);
}

/**
 * Writes the `width` numbers of the last rows read, which must be narrow, to `upper` and, unless it
 * is 0, to `lower`, in 16 bits, times 2 to the power of `plane`. Vectors write past the end: the
 * lower row must follow the upper one, and later rows must be written later.
 */
export function placeShorts(upper: usize, lower: usize, width: i32, plane: i32): void {
  let from = numbers;
  for (let x = 0; x < width; x += 8, from += 32, upper += 16) {
    const even = v128.shuffle<i16>(v128.load(from), v128.load(from, 16), 0, 2, 4, 6, 8, 10, 12, 14);
    v128.store(upper, i16x8.shl(even, plane));
  }
  if (lower == 0) return;
  from = numbers;
  for (let x = 0; x < width; x += 8, from += 32, lower += 16) {
    const odd = v128.shuffle<i16>(v128.load(from), v128.load(from, 16), 1, 3, 5, 7, 9, 11, 13, 15);
    v128.store(lower, i16x8.shl(odd, plane));
  }
}
