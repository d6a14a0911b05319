/** The first three of every four bytes, of four pixels. */
const kept: usize = memory.data<u8>([0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 12, 13, 14, 12], 16);

/**
 * Copies the first three of every four 8-bit samples: RGBA pixels without their alpha. Reads and
 * writes up to 16 bytes beyond the ends.
 */
export function dropFourth(from: usize, end: usize, to: usize): void {
  const order = v128.load(kept);
  for (; from < end; from += 16, to += 12)
    v128.store(to, i8x16.swizzle(v128.load(from), order));
}
