// The Huffman code of literals (RFC 8878, 4.2).

import { accuracy, log2, nextNumber, readDistribution, spread, states, symbolCount } from "./distributions";

/** The maximum length of a code in bits. */
const maxBits: u32 = 11;
/** Indexed by the next eleven bits: the length of the code, and the literal times 256. */
const table: usize = memory.data(2 * (1 << 11), 64);
/** The weight of each symbol; 0 without a code. */
const weights: usize = memory.data(256 + 16, 16);
/**
 * The states that code weights: the first of the next ones, its bits times 256, the weight times
 * 65,536.
 */
const weightStates: usize = memory.data(4 * 64, 16);
const maxAccuracyOfWeights: u32 = 6;

/** Reads a code and makes its table. Returns where it ends, or 0 if it is corrupt. */
export function readCode(at: usize, end: usize): usize {
  if (at >= end) return 0;
  const head: u32 = load<u8>(at++);
  let count: u32 = 0;
  if (head >= 128) {
    count = head - 127;
    const bytes = <usize>((count + 1) >> 1);
    if (bytes > end - at) return 0;
    for (let k: usize = 0; k < bytes; k++) {
      const two = load<u8>(at + k);
      store<u8>(weights + 2 * k, two >> 4);
      store<u8>(weights + 2 * k, two & 15, 1);
    }
    at += bytes;
  } else {
    if (<usize>head > end - at) return 0;
    count = readWeights(at, at + head);
    at += head;
  }
  return count > 0 && makeTable(count) ? at : 0;
}

/**
 * Reads weights coded by two alternating states (4.2.1.2); returns their number, or 0 if they are
 * corrupt.
 */
function readWeights(at: usize, end: usize): u32 {
  const used = readDistribution(at, end, 255, maxAccuracyOfWeights);
  if (used == 0) return 0;
  spread(accuracy, symbolCount);
  const size: u32 = 1 << accuracy;
  for (let state: u32 = 0; state < size; state++) {
    const weight: u32 = load<u8>(states + state);
    const number = nextNumber(weight);
    const bits = accuracy - log2(number);
    store<u32>(weightStates + 4 * state, ((number << bits) - size) | (bits << 8) | (weight << 16));
  }
  const from = at + used;
  const last: u32 = from < end ? load<u8>(end - 1) : 0;
  if (last == 0) return 0;
  // Bits are read from the highest of the last byte, after the end mark.
  let bit = (<i32>(end - from) << 3) - 8 + <i32>log2(last) - <i32>(2 * accuracy);
  if (bit < 0) return 0;
  let state = peek(from, bit + <i32>accuracy, accuracy);
  let other = peek(from, bit, accuracy);
  let count: u32 = 0;
  while (count < 254) {
    const entry = load<u32>(weightStates + 4 * state);
    store<u8>(weights + count++, <u8>(entry >> 16));
    const bits = (entry >> 8) & 255;
    bit -= <i32>bits;
    if (bit < 0) {
      store<u8>(weights + count++, <u8>(load<u32>(weightStates + 4 * other) >> 16));
      return count;
    }
    state = other;
    other = (entry & 255) + peek(from, bit, bits);
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function peek(from: usize, bit: i32, bits: u32): u32 {
  return (load<u32>(from + (bit >> 3)) >> (bit & 7)) & ((1 << bits) - 1);
}

/**
 * Makes the table from the weights and the last one, which follows from them (4.2.1); returns false
 * if they are inconsistent.
 */
function makeTable(count: u32): bool {
  let sum: u32 = 0;
  let ones: u32 = 0;
  for (let symbol: u32 = 0; symbol < count; symbol++) {
    const weight: u32 = load<u8>(weights + symbol);
    if (weight > maxBits) return false;
    if (weight == 1) ones++;
    if (weight > 0) sum += 1 << (weight - 1);
  }
  if (sum == 0) return false;
  const longest = log2(sum) + 1;
  const left = (1 << longest) - sum;
  if (longest > maxBits || (left & (left - 1)) != 0) return false;
  if (left == 1) ones++;
  // The longest codes come in pairs, and there is at least one pair.
  if (ones < 2) return false;
  store<u8>(weights + count++, <u8>(log2(left) + 1));
  let at = table;
  for (let weight: u32 = 1; weight <= longest; weight++) {
    const bits = longest + 1 - weight;
    const bytes: usize = 2 << (maxBits - bits);
    for (let symbol: u32 = 0; symbol < count; symbol++) {
      if (<u32>load<u8>(weights + symbol) != weight) continue;
      fill(at, bytes, bits | (symbol << 8));
      at += bytes;
    }
  }
  return true;
}

// @ts-ignore: decorator
@inline
function fill(at: usize, bytes: usize, entry: u32): void {
  if (bytes == 2) store<u16>(at, <u16>entry);
  else if (bytes < 16) for (let k: usize = 0; k < bytes; k += 4) store<u32>(at + k, entry | (entry << 16));
  else for (let k: usize = 0; k < bytes; k += 16) v128.store(at + k, i16x8.splat(<i16>entry));
}

// A stream is read from its end. A register has the next bits highest, then a single mark, and
// zeros: the number of zeros is the number of bits consumed.

/** A register with the bits below the mark in a stream's last byte; 0 if the mark is missing. */
// @ts-ignore: decorator
@inline
function firstBits(from: usize, end: usize): u64 {
  const last: u32 = from < end ? load<u8>(end - 1) : 0;
  return last == 0 ? 0 : (load<u64>(end - 8) | 1) << (<u64>(8 - log2(last)));
}

/** Decodes a stream of `count` literals; returns false if it does not end with exactly these. */
export function decodeStream(from: usize, end: usize, out: usize, count: usize): bool {
  const bits = firstBits(from, end);
  return bits != 0 && finish(bits, end - 8, from, out, out + count);
}

/** As in Zstandard: fewer are not divided. */
const leastForFour: usize = 6;

/**
 * Decodes four streams (4.2.2), all but the last of `ceil(count / 4)` literals; returns false if
 * they are corrupt.
 */
export function decodeFourStreams(from: usize, end: usize, out: usize, count: usize): bool {
  if (end - from < 10 || count < leastForFour) return false;
  const each = (count + 3) >> 2;
  const start0 = from + 6;
  const start1 = start0 + load<u16>(from);
  const start2 = start1 + load<u16>(from, 2);
  const start3 = start2 + load<u16>(from, 4);
  if (start3 >= end || each * 3 > count) return false;
  let bits0 = firstBits(start0, start1);
  let bits1 = firstBits(start1, start2);
  let bits2 = firstBits(start2, start3);
  let bits3 = firstBits(start3, end);
  if (bits0 == 0 || bits1 == 0 || bits2 == 0 || bits3 == 0) return false;
  let at0 = start1 - 8;
  let at1 = start2 - 8;
  let at2 = start3 - 8;
  let at3 = end - 8;
  const last = count - 3 * each;
  // While the last stream, which is the shortest, has five more: a register always holds that many.
  const five = last < 5 ? out : out + last - 4;
  const lowest = from - 32;
  const out1 = each;
  const out2 = each + each;
  const out3 = out2 + each;
  let to = out;
  while (to < five) {
    for (let k: usize = 0; k < 5; k++) {
      const entry0: u64 = load<u16>(<usize>(bits0 >> 52) & 0xffe, table);
      store<u8>(to + k, <u8>(entry0 >> 8));
      bits0 <<= entry0;
      const entry1: u64 = load<u16>(<usize>(bits1 >> 52) & 0xffe, table);
      store<u8>(to + out1 + k, <u8>(entry1 >> 8));
      bits1 <<= entry1;
      const entry2: u64 = load<u16>(<usize>(bits2 >> 52) & 0xffe, table);
      store<u8>(to + out2 + k, <u8>(entry2 >> 8));
      bits2 <<= entry2;
      const entry3: u64 = load<u16>(<usize>(bits3 >> 52) & 0xffe, table);
      store<u8>(to + out3 + k, <u8>(entry3 >> 8));
      bits3 <<= entry3;
    }
    to += 5;
    let used = ctz(bits0);
    at0 -= <usize>(used >> 3);
    bits0 = (load<u64>(at0) | 1) << (used & 7);
    used = ctz(bits1);
    at1 -= <usize>(used >> 3);
    bits1 = (load<u64>(at1) | 1) << (used & 7);
    used = ctz(bits2);
    at2 -= <usize>(used >> 3);
    bits2 = (load<u64>(at2) | 1) << (used & 7);
    used = ctz(bits3);
    at3 -= <usize>(used >> 3);
    bits3 = (load<u64>(at3) | 1) << (used & 7);
    // Streams may read a little of the preceding data.
    if (at0 < lowest || at1 < lowest || at2 < lowest || at3 < lowest) return false;
  }
  return (
    finish(bits0, at0, start0, to, out + out1) &&
    finish(bits1, at1, start1, to + out1, out + out2) &&
    finish(bits2, at2, start2, to + out2, out + out3) &&
    finish(bits3, at3, start3, to + out3, out + count)
  );
}

/** Decodes literals up to `stop`; returns false unless the stream ends with them. */
function finish(bits: u64, at: usize, from: usize, out: usize, stop: usize): bool {
  for (;;) {
    const used = ctz(bits);
    at -= <usize>(used >> 3);
    // A register cannot start this far before the stream.
    if (at + 16 < from) return false;
    bits = (load<u64>(at) | 1) << (used & 7);
    if (out >= stop) break;
    for (let more = min<usize>(5, stop - out); more > 0; more--) {
      const entry: u64 = load<u16>(<usize>(bits >> 52) & 0xffe, table);
      store<u8>(out++, <u8>(entry >> 8));
      bits <<= entry;
    }
  }
  // The unused bits of the register must be those before the start.
  return (<i64>(<i32>(at - from)) << 3) + 64 == <i64>ctz(bits);
}
