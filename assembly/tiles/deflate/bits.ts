// The reader of a stream outside `inflateBlock`: bits are packed from the lowest of a byte (RFC
// 1951, 3.1.1).

/** The byte with the next bit. */
export let at: usize = 0;
/** The number of that bit in the byte, from 0 to 7. */
let bit: u32 = 0;

/** Continues at a bit of a byte, counted from the lowest. */
export function startAt(byte: usize, firstBit: u32): void {
  at = byte;
  bit = firstBit;
}

/** The next bits, at least 57 of them, from the lowest on. */
// @ts-ignore: decorator
@inline
export function ahead(): u64 {
  return load<u64>(at) >> (<u64>bit);
}

/** Skips bits. */
// @ts-ignore: decorator
@inline
export function drop(count: u32): void {
  bit += count;
  at += bit >> 3;
  bit &= 7;
}

/** The next `count` (up to 32) bits. */
// @ts-ignore: decorator
@inline
export function take(count: u32): u32 {
  const value = <u32>ahead() & ((<u32>1 << count) - 1);
  drop(count);
  return value;
}

/** The first whole byte that has not been read. */
export function wholeByte(): usize {
  return bit == 0 ? at : at + 1;
}

/** The number of bits of the byte at `at` that have been read. */
export function bitsUsed(): u32 {
  return bit;
}
