// Where a stream is read outside of `inflateBlock`: bits are packed from the lowest of a byte on
// (RFC 1951, 3.1.1).

/** The byte that the next bit is in. */
export let at: usize = 0;
/** The number of that bit in it, from 0 to 7. */
let bit: u32 = 0;

/** Reads on from a bit of a byte, counted from the lowest. */
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

/** Leaves out so many bits. */
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

/** The first whole byte that is not read yet. */
export function wholeByte(): usize {
  return bit == 0 ? at : at + 1;
}

/** How many bits of the byte at `at` are read. */
export function bitsUsed(): u32 {
  return bit;
}
