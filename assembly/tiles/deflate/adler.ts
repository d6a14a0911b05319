/** Sums are reduced modulo this prime. */
const modulus: u64 = 65_521;
/** After more blocks of sixteen bytes, 32-bit sums could overflow. */
const maxBlocks: usize = 336;
/** After more blocks, 16-bit sums could overflow. */
const blocksAtOnce: usize = 16;

/** The checksum of zlib streams (RFC 1950, section 9) of `length` bytes. */
export function adler(from: usize, length: usize): u32 {
  let at = from;
  let a: u64 = 1;
  let b: u64 = 0;
  const low = i16x8.splat(255);
  const weights = i16x8(15, 13, 11, 9, 7, 5, 3, 1);
  while (length >= 16) {
    let blocks = min<usize>(length >> 4, maxBlocks);
    length -= blocks << 4;
    a %= modulus;
    b = (b + a * ((<u64>blocks) << 4)) % modulus;
    // The running sum of all bytes (a), and for every block the sum of all bytes before it (16
    // times in b). Within a block the first byte counts 16 times and the last once: pairs by their
    // weights, and the first of each once more.
    let sums = i32x4.splat(0);
    let before = i32x4.splat(0);
    let weighted = i32x4.splat(0);
    while (blocks > 0) {
      let some = min<usize>(blocks, blocksAtOnce);
      blocks -= some;
      before = i32x4.add(before, i32x4.mul(sums, i32x4.splat(<i32>some)));
      let pairs = i16x8.splat(0);
      let pairsBefore = i16x8.splat(0);
      let firsts = i16x8.splat(0);
      for (; some > 0; some--, at += 16) {
        const bytes = v128.load(at);
        pairsBefore = i16x8.add(pairsBefore, pairs);
        pairs = i16x8.add(pairs, i16x8.extadd_pairwise_i8x16_u(bytes));
        firsts = i16x8.add(firsts, v128.and(bytes, low));
      }
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(pairs));
      before = i32x4.add(before, i32x4.extadd_pairwise_i16x8_u(pairsBefore));
      weighted = i32x4.add(weighted, i32x4.dot_i16x8_s(pairs, weights));
      weighted = i32x4.add(weighted, i32x4.extadd_pairwise_i16x8_u(firsts));
    }
    a += across(sums);
    b += (across(before) << 4) + across(weighted);
  }
  for (; length > 0; length--, at++) {
    a += load<u8>(at);
    b += a;
  }
  return <u32>(((b % modulus) << 16) | (a % modulus));
}

/** The sum of four unsigned numbers. */
// @ts-ignore: decorator
@inline
function across(v: v128): u64 {
  return (
    <u64>(<u32>i32x4.extract_lane(v, 0)) +
    <u64>(<u32>i32x4.extract_lane(v, 1)) +
    <u64>(<u32>i32x4.extract_lane(v, 2)) +
    <u64>(<u32>i32x4.extract_lane(v, 3))
  );
}
