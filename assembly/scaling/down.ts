/** Half of what is shifted away, for rounding. */
const half: i32 = 1 << 7;

/**
 * Sums one row down the columns: `bytes` samples from rows `stride` apart, the first at `from`,
 * each times its weight (16-bit, 16,384 is 1; an even number of weights at `weights`, for `pairs`
 * pairs of rows). Sums are written to `to` in 64ths, 16 bits each. Reads and writes extend to the
 * next multiple of 16 samples. `more`, in 16,384ths, is added to each sum.
 */
export function down(
  to: usize,
  from: usize,
  stride: usize,
  bytes: i32,
  weights: usize,
  pairs: i32,
  more: i32,
): void {
  const end = from + bytes;
  const begin = i32x4.splat(half + more);
  for (let at = from; at < end; at += 16) {
    let sums0 = begin;
    let sums1 = begin;
    let sums2 = begin;
    let sums3 = begin;
    let row = at;
    for (let pair = 0; pair < pairs; pair++) {
      const weight = v128.load32_splat(weights + (<usize>pair << 2));
      const upper = v128.load(row);
      const lower = v128.load(row + stride);
      const left = v128.shuffle<u8>(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const right = v128.shuffle<u8>(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      sums0 = i32x4.add(sums0, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(left), weight));
      sums1 = i32x4.add(sums1, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(left), weight));
      sums2 = i32x4.add(sums2, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(right), weight));
      sums3 = i32x4.add(sums3, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(right), weight));
      row += stride << 1;
    }
    v128.store(to, i16x8.narrow_i32x4_s(i32x4.shr_s(sums0, 8), i32x4.shr_s(sums1, 8)));
    v128.store(to, i16x8.narrow_i32x4_s(i32x4.shr_s(sums2, 8), i32x4.shr_s(sums3, 8)), 16);
    to += 32;
  }
}
