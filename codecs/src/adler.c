#include <stddef.h>
#include <stdint.h>
#include <wasm_simd128.h>

/* RFC 1950, section 9, sixteen bytes at a time; what is called where libdeflate's own would be. */
uint32_t libdeflate_adler32(uint32_t adler, const void *data, size_t length) {
  const uint8_t *at = data;
  uint64_t a = adler & 0xffff, b = adler >> 16;
  const v128_t high = wasm_i16x8_const(16, 15, 14, 13, 12, 11, 10, 9);
  const v128_t low = wasm_i16x8_const(8, 7, 6, 5, 4, 3, 2, 1);
  while (length >= 16) {
    /* So many that no sum of 32 bits overflows. */
    size_t blocks = length / 16 < 340 ? length / 16 : 340;
    v128_t sums = wasm_i32x4_const_splat(0), before = sums, weighted = sums;
    a %= 65521;
    b = (b + a * (blocks * 16)) % 65521;
    length -= blocks * 16;
    for (; blocks > 0; blocks--, at += 16) {
      v128_t bytes = wasm_v128_load(at);
      before = wasm_i32x4_add(before, sums);
      sums = wasm_i32x4_add(sums, wasm_u32x4_extadd_pairwise_u16x8(wasm_u16x8_extadd_pairwise_u8x16(bytes)));
      weighted = wasm_i32x4_add(weighted, wasm_i32x4_dot_i16x8(wasm_u16x8_extend_low_u8x16(bytes), high));
      weighted = wasm_i32x4_add(weighted, wasm_i32x4_dot_i16x8(wasm_u16x8_extend_high_u8x16(bytes), low));
    }
#define SUM(v) ((uint64_t)(uint32_t)wasm_i32x4_extract_lane(v, 0) + (uint32_t)wasm_i32x4_extract_lane(v, 1) + (uint32_t)wasm_i32x4_extract_lane(v, 2) + (uint32_t)wasm_i32x4_extract_lane(v, 3))
    a += SUM(sums);
    b += SUM(before) * 16 + SUM(weighted);
  }
  for (; length > 0; length--) { a += *at++; b += a; }
  return (uint32_t)((b % 65521) << 16 | a % 65521);
}
