/** Half of what is shifted away, for rounding; weights are in 16,384ths. */
const half: i32 = 1 << 13;

/**
 * Scales a row of 16-bit samples: output sample n is the sum of `eights` groups of eight samples from
 * `starts[n]` bytes (32-bit) after `from` on, each times its 16-bit weight; the weights of all output
 * samples follow one another. Reads and writes up to the next multiple of 4 output samples.
 */
export function scaleAcross(
  to: usize,
  from: usize,
  count: u32,
  starts: usize,
  weights: usize,
  eights: u32,
): void {
  const end = to + 2 * count;
  const length = <usize>(16 * eights);
  for (; to < end; to += 8, starts += 16, weights += 4 * length) {
    const low = pairSums(
      sumsAt(from + load<u32>(starts), weights, eights),
      sumsAt(from + load<u32>(starts, 4), weights + length, eights),
    );
    const high = pairSums(
      sumsAt(from + load<u32>(starts, 8), weights + 2 * length, eights),
      sumsAt(from + load<u32>(starts, 12), weights + 3 * length, eights),
    );
    const whole = i32x4.shr_s(i32x4.add(pairSums(low, high), i32x4.splat(half)), 14);
    v128.store64_lane(to, i16x8.narrow_i32x4_s(whole, whole), 0);
  }
}

// @ts-ignore: decorator
@inline
function sumsAt(from: usize, weights: usize, eights: u32): v128 {
  let sums = i32x4.dot_i16x8_s(v128.load(from), v128.load(weights));
  for (let eight: u32 = 1; eight < eights; eight++) {
    from += 16;
    weights += 16;
    sums = i32x4.add(sums, i32x4.dot_i16x8_s(v128.load(from), v128.load(weights)));
  }
  return sums;
}

/** The sums of the neighbours in each of two vectors. */
// @ts-ignore: decorator
@inline
function pairSums(one: v128, other: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(one, other, 0, 2, 4, 6), v128.shuffle<i32>(one, other, 1, 3, 5, 7));
}

/**
 * The weighted sum of rows of 16-bit samples, of `pairs` pairs of them, whose addresses (32-bit) are
 * at `rows`. Reads and writes up to the next multiple of 8 samples.
 */
export function scaleDown(to: usize, rows: usize, pairs: u32, weights: usize, count: u32): void {
  const end = <usize>(2 * count);
  for (let at: usize = 0; at < end; at += 16) {
    let low = i32x4.splat(half);
    let high = i32x4.splat(half);
    for (let pair: usize = 0; pair < pairs; pair++) {
      const upper = v128.load(<usize>load<u32>(rows + 8 * pair) + at);
      const lower = v128.load(<usize>load<u32>(rows + 8 * pair, 4) + at);
      const weight = v128.load32_splat(weights + 4 * pair);
      low = i32x4.add(low, i32x4.dot_i16x8_s(v128.shuffle<i16>(upper, lower, 0, 8, 1, 9, 2, 10, 3, 11), weight));
      high = i32x4.add(high, i32x4.dot_i16x8_s(v128.shuffle<i16>(upper, lower, 4, 12, 5, 13, 6, 14, 7, 15), weight));
    }
    v128.store(to + at, i16x8.narrow_i32x4_s(i32x4.shr_s(low, 14), i32x4.shr_s(high, 14)));
  }
}
