import { magnitudeBits } from "./bits";

const significantBits: u32 = 0xf0;
/** Up to this number of bits per sample, with its sign, two quads are read at once. */
export const maxNarrow: u32 = 14;

/**
 * For each sample (upper left, lower left, upper right, lower right): the bits of an entry that say
 * that a bit is known (see `expandCodewords`), that it is 1, and that the sample is significant.
 */
const ofSamples: usize = memory.data<u16>([
  0x1110, 0x2220, 0x4440, 0x8880, 0x1110, 0x2220, 0x4440, 0x8880,
]);
/** Factors that move these to bits 15, 11 and 7. */
const alignments: usize = memory.data<u16>([8, 4, 2, 1, 8, 4, 2, 1]);
/**
 * Indexed by n: the factor that moves a number's bits from n on to bit 8, less 1 so that it fits a
 * byte.
 */
const lefts: usize = memory.data<u8>([255, 127, 63, 31, 15, 7, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0]);

/**
 * The samples in the lower row of the quads above, as twice the magnitude less one, in 32 bits, and
 * 0 for insignificant ones; one more before and four after them.
 */
export const lowers: usize = memory.data((1_024 + 16) * 4, 16) + 16;
/** 2 to the power of each quad's number of bits, less 1, in the lower half of 32 bits. */
export const powers: usize = memory.data((512 + 8) * 4, 16);

/**
 * A row of quads: for each column the number in the upper row in 16 bits, and above it that in the
 * lower row; or 32 bits each, the lower row after the upper one. A number is 2m + 1 with its sign,
 * m being the magnitude.
 */
export const numbers: usize = memory.data(2 * (1_024 + 16) * 4, 16);
export const lowerNumbers: usize = numbers + (1_024 + 16) * 4;

/**
 * Constants needed in eight 16-bit lanes or four 32-bit lanes, 16 bytes each. Loading one takes one
 * instruction; as a literal it would take three in every round of a loop.
 */
const shorts: usize = memory.data<u16>([
  0x0001, 0x0001, 0x0001, 0x0001, 0x0001, 0x0001, 0x0001, 0x0001,
  0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002, 0x0002,
  0x0007, 0x0007, 0x0007, 0x0007, 0x0007, 0x0007, 0x0007, 0x0007,
  0x0100, 0x0100, 0x0100, 0x0100, 0x0100, 0x0100, 0x0100, 0x0100,
  0x0101, 0x0101, 0x0101, 0x0101, 0x0101, 0x0101, 0x0101, 0x0101,
  0x8000, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000,
  0xff00, 0xff00, 0xff00, 0xff00, 0xff00, 0xff00, 0xff00, 0xff00,
]);
const longs: usize = memory.data<u32>([
  1, 1, 1, 1, 2, 2, 2, 2, 0x10, 0x10, 0x10, 0x10, 0xf0, 0xf0, 0xf0, 0xf0, 126, 126, 126, 126, 128, 128, 128, 128,
  0xffff, 0xffff, 0xffff, 0xffff, 0x4b000000, 0x4b000000, 0x4b000000, 0x4b000000,
]);

/** The number of bits of the MagSgn code consumed, and the number available. */
export let taken: i32 = 0;
let available: i32 = 0;

/** Sets the number of bits consumed. */
// @ts-ignore: decorator
@inline
export function take(bits: i32): void {
  taken = bits;
}

/** Starts a block with `available` bits, whose rows have `across` quads. */
export function startMagnitudes(bits: i32, across: i32): void {
  taken = 0;
  available = bits;
  memory.fill(lowers - 16, 0, (<usize>across << 3) + 64);
}

/**
 * Replaces u by the number of bits of the samples (7.3) for a row of quads; returns the maximum.
 */
function bound(quads: usize, across: i32): u32 {
  const one = v128.load(longs, 0);
  const two = v128.load(longs, 16);
  const significant = v128.load(longs, 48);
  const lowest = v128.load(longs, 32);
  const lower = v128.load(longs, 96);
  const bias = v128.load(longs, 80);
  const powerBias = v128.load(longs, 64);
  const zero = i32x4.splat(0);
  // Integers as floating point of this size have their bits lowest.
  const large = v128.load(longs, 112);
  let most = zero;
  let above = lowers - 4;
  let power = powers;
  for (const end = quads + (<usize>across << 2); quads < end; quads += 16, above += 32, power += 16) {
    const entries = v128.load(quads);
    // The maximum number of bits above is that of all of them ORed.
    const early = v128.or(v128.load(above), v128.load(above, 8));
    const late = v128.or(v128.load(above, 16), v128.load(above, 24));
    let all = v128.or(v128.shuffle<i32>(early, late, 0, 2, 4, 6), v128.shuffle<i32>(early, late, 1, 3, 5, 7));
    all = v128.or(all, two);
    // Clears each bit below a set bit, so that the conversion rounds nothing up.
    all = v128.andnot(all, i32x4.shr_u(all, 1));
    const expected = i32x4.sub(i32x4.shr_u(f32x4.convert_i32x4_s(all), 23), bias);
    const samples = v128.and(entries, significant);
    const single = i32x4.eq(v128.and(samples, i32x4.sub(samples, lowest)), zero);
    // Among several significant samples, one is nearly as large as the maximum above (7.3).
    const bits = i32x4.add(i32x4.add(i32x4.shr_u(entries, 16), one), v128.andnot(expected, single));
    most = i32x4.max_u(most, bits);
    v128.store(quads, v128.or(v128.and(entries, lower), i32x4.shl(bits, 16)));
    v128.store(power, f32x4.add(i32x4.shl(i32x4.add(bits, powerBias), 23), large));
  }
  const half = i32x4.max_u(most, v128.shuffle<i32>(most, most, 2, 3, 0, 1));
  return max<u32>(i32x4.extract_lane(half, 0), i32x4.extract_lane(half, 1));
}

/**
 * Reads two quads whose samples have at most `maxNarrow` bits. `at` is the first bit; returns the
 * number of bits consumed. `place` is the byte offset of the first quad in a row.
 */
// @ts-ignore: decorator
@inline
export function readPair(
  quads: usize,
  at: i32,
  place: usize,
): i32 {
  const zero = i16x8.splat(0);
  if ((load<u64>(quads) & 0xf0000000f0) == 0) {
    v128.store(place << 1, zero, numbers);
    v128.store(place << 1, zero, lowers);
    return 0;
  }
  const flagsOf = v128.load(ofSamples);
  const alignment = v128.load(alignments);
  const left = v128.load(lefts);
  const one = v128.load(shorts);
  const two = v128.load(shorts, 16);
  const seven = v128.load(shorts, 32);
  const behind = v128.load(shorts, 48);
  const both = v128.load(shorts, 64);
  const nothing = v128.load(shorts, 80);
  const upper = v128.load(shorts, 96);
  const entries = v128.load64_splat(quads);
  const flags = v128.and(v128.shuffle<i16>(entries, entries, 0, 0, 0, 0, 6, 6, 6, 6), flagsOf);
  const none = i16x8.eq(flags, zero);
  const aligned = i16x8.mul(flags, alignment);
  const known = i16x8.shr_s(aligned, 15);
  const counts = v128.andnot(i16x8.add(v128.shuffle<i16>(entries, entries, 1, 1, 1, 1, 7, 7, 7, 7), known), none);
  let ends = i16x8.add(counts, i64x2.shl(counts, 16));
  ends = i16x8.add(ends, i64x2.shl(ends, 32));
  const carry = v128.shuffle<i16>(ends, ends, 3, 3, 3, 3, 4, 5, 6, 7);
  ends = i16x8.add(ends, v128.shuffle<i64>(zero, carry, 0, 2));
  const starts = i16x8.add(i16x8.sub(ends, counts), i16x8.splat(<i16>(at & 7)));
  const bytes = v128.load(<usize>(at >> 3), magnitudeBits);
  // Sixteen bits from each start: the lower of two bytes, and the upper one of the two after it.
  const first = i16x8.add(i16x8.mul(i16x8.shr_u(starts, 3), both), behind);
  const bit = v128.or(v128.and(starts, seven), nothing);
  const shift = i16x8.add(i8x16.swizzle(left, bit), one);
  const early = i16x8.mul(i8x16.swizzle(bytes, first), shift);
  const late = i16x8.mul(i8x16.swizzle(bytes, i16x8.add(first, both)), shift);
  const read = v128.or(i16x8.shr_u(early, 8), v128.and(late, upper));
  const power = v128.load64_splat(place, powers);
  const half = v128.shuffle<i16>(power, power, 0, 0, 0, 0, 6, 6, 6, 6);
  const size = i16x8.add(half, v128.andnot(half, known));
  const implied = v128.and(i16x8.shr_s(i16x8.shl(aligned, 4), 15), size);
  const value = v128.or(v128.and(read, i16x8.sub(size, one)), implied);
  const odd = v128.or(value, one);
  v128.store(place << 1, i32x4.shr_u(v128.andnot(odd, none), 16), lowers);
  const sign = i16x8.shr_s(i16x8.shl(value, 15), 15);
  v128.store(place << 1, v128.andnot(i16x8.sub(v128.xor(i16x8.add(odd, two), sign), sign), none), numbers);
  return i16x8.extract_lane_u(ends, 7);
}

/** Reads a row of quads whose samples have at most `maxNarrow` bits. */
export function readNarrow(quads: usize, across: i32): void {
  let at = taken;
  for (let place: usize = 0; place < <usize>across << 2; place += 8)
    at += readPair(quads + place, at, place);
  taken = at;
}

/** As `readNarrow`, for samples of up to 30 bits, which become 32-bit numbers. */
export function readWide(quads: usize, across: i32): void {
  let at = taken;
  let to = numbers;
  let lower = lowers;
  for (const end = quads + (<usize>across << 2); quads < end; quads += 4, to += 8, lower += 8) {
    const entry = load<u32>(quads);
    const bits = entry >> 16;
    for (let sample: u32 = 0; sample < 4; sample++) {
      const row: usize = (sample & 1) != 0 ? lowerNumbers - numbers : 0;
      const column = <usize>(sample >> 1) << 2;
      const mask: u32 = 0 - ((entry >> (4 + sample)) & 1);
      const count = (bits - ((entry >> (12 + sample)) & 1)) & mask;
      const read = <u32>(load<u64>(magnitudeBits + <usize>(at >> 3)) >> <u64>(at & 7));
      at += <i32>count;
      const value = (read & ((<u32>1 << count) - 1)) | (((entry >> (8 + sample)) & 1) << count);
      const sign: u32 = 0 - (value & 1);
      const odd = (value | 1) & mask;
      store<u32>(to + row + column, ((((value | 1) + 2) ^ sign) - sign) & mask);
      if (row != 0) store<u32>(lower + column, odd);
    }
  }
  taken = at;
}

/** The form of the numbers of a row of quads. */
export const unsound: i32 = 0;
export const narrow: i32 = 1;
export const wide: i32 = 2;

/**
 * Starts the next row of quads, as `readQuads` wrote it. Returns the form of its numbers: `unsound`
 * if a sample would have more than `maxBits` bits, which is at most 30.
 */
export function startRow(quads: usize, across: i32, maxBits: u32): i32 {
  // The last bits are followed by enough ones for a row.
  taken = min<i32>(taken, available);
  const bits = bound(quads, across);
  return bits > maxBits ? unsound : bits > maxNarrow ? wide : narrow;
}
