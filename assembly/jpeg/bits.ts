/**
 * The bits of a scan, without the zeros that are stuffed after each byte 255 (ITU-T T.81, F.1.2.3):
 * those in hand, highest first, and how many there are; the position of those that follow.
 */
export let held: u64 = 0;
export let count: u32 = 0;
export let at: usize = 0;
/** The end of the bytes in memory. */
let end: usize = 0;
/** How many zero bits were appended at a marker or the end of the data. */
let padding: u32 = 0;

/** Continues with the bytes from `from` to `to`, behind which 8 more can be read. */
export function supply(from: usize, to: usize): void {
  at = from;
  end = to;
}

/** Begins a scan, or the part of one behind a restart marker. */
export function reset(): void {
  held = 0;
  count = 0;
  padding = 0;
}

// @ts-ignore: decorator
@inline
export function keep(bits: u64, number: u32, next: usize): void {
  held = bits;
  count = number;
  at = next;
}

/** Whether bits were used that the data does not have. */
export function isOverrun(): bool {
  return padding > count;
}

/**
 * Steps over a restart marker, before which less than a byte may be left; false where there is
 * none.
 */
export function restart(): bool {
  if (isOverrun() || count - padding >= 8) return false;
  // Fill bytes may come before a marker (B.1.1.2).
  while (at + 1 < end && load<u8>(at) === 0xff && load<u8>(at + 1) === 0xff) at++;
  if (at + 1 >= end || load<u8>(at) !== 0xff || (load<u8>(at + 1) & 0xf8) !== 0xd0) return false;
  at += 2;
  reset();
  return true;
}

// @ts-ignore: decorator
@inline
export function nextEight(from: usize): u64 {
  const part = v128.load64_zero(from);
  return v128.extract_lane<u64>(v128.shuffle<u8>(part, part, 7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15), 0);
}

/** Whether any of eight bytes is 255. */
// @ts-ignore: decorator
@inline
export function hasMark(eight: u64): bool {
  return (eight & 0x8080808080808080 & ((eight & 0x7f7f7f7f7f7f7f7f) + 0x0101010101010101)) !== 0;
}

/**
 * Adds bytes one by one to `number` bits, until there are at least 57; the results are `held`, `count`
 * and `at`.
 */
export function fill(bits: u64, number: u32, from: usize): void {
  // The bits behind those in hand may be set already.
  let all: u64 = number === 0 ? 0 : bits & (<u64>-1 << <u64>(64 - number));
  while (number <= 56) {
    let byte: u64 = 0;
    if (from < end && load<u8>(from) !== 0xff) byte = load<u8>(from++);
    else if (from + 1 < end && load<u8>(from + 1) === 0) {
      byte = 0xff;
      from += 2;
    } else padding += 8;
    all |= byte << <u64>(56 - number);
    number += 8;
  }
  keep(all, number, from);
}
