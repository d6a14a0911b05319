// The bits of a cleanup segment (Rec. ITU-T T.814, 7.1), unstuffed beforehand, so that eight bytes
// can be read from any bit without further checks.

/**
 * The maximum MagSgn code of a block: 4,096 numbers of 30 bits, of which one bit in eight may be
 * stuffing.
 */
const maxMagnitudeBytes: i32 = 17_560;
/** The maximum bytes of the MEL and VLC codes together: their length has twelve bits. */
const maxSharedBytes: i32 = 4_095;

/** The maximum of either code that a row of quads takes, plus a few bytes that are read with it. */
const rowOfMagnitudes: i32 = (1_024 * 2 * 30) / 8 + 32;
const rowOfCodewords: i32 = (256 * 38) / 8 + 32;

/** The MagSgn code; followed by ones. */
export const magnitudeBits: usize = memory.data(maxMagnitudeBytes + rowOfMagnitudes, 16);
/** The VLC code, from bit 64 on; followed by zeros. */
export const codewordBits: usize = memory.data(8 + maxSharedBytes + rowOfCodewords, 16);
/** Two bits before the start of the VLC code. */
export const firstCodeword: u32 = 62;

/** Whether any of the eight bytes is 0xFF, after which only seven bits are used. */
// @ts-ignore: decorator
@inline
function isStuffed(word: u64): bool {
  return ((~word - 0x0101010101010101) & word & 0x8080808080808080) != 0;
}

/** Whether any of the eight bytes has its lower seven bits set: only there can a bit be stuffed. */
// @ts-ignore: decorator
@inline
function mayBeStuffed(word: u64): bool {
  const zeroed = (word & 0x7f7f7f7f7f7f7f7f) ^ 0x7f7f7f7f7f7f7f7f;
  return ((zeroed - 0x0101010101010101) & ~zeroed & 0x8080808080808080) != 0;
}

/** The bits of a word that do not fit after `bits` (0 to 7) bits. */
// @ts-ignore: decorator
@inline
function beyond(word: u64, bits: u64): u64 {
  return (word >> 1) >> (63 - bits);
}

/**
 * Writes the bits of the MagSgn code from `from` (inclusive) to `until` (exclusive) to
 * `magnitudeBits`, followed by ones for a row of quads of a block of that width. Returns the number
 * of bits.
 */
export function gatherMagnitudes(from: usize, until: usize, width: i32): i32 {
  const end = min<usize>(until, from + <usize>maxMagnitudeBytes);
  let to = magnitudeBits;
  let held: u64 = 0;
  let bits: u64 = 0;
  let last: u32 = 0;
  while (from < end) {
    if (last != 0xff && from + 8 <= end) {
      const word = load<u64>(from);
      if (!isStuffed(word)) {
        store<u64>(to, held | (word << bits));
        held = beyond(word, bits);
        to += 8;
        from += 8;
        last = 0;
        continue;
      }
    }
    const byte = <u32>load<u8>(from++);
    held |= (<u64>byte) << bits;
    bits += last == 0xff ? 7 : 8;
    last = byte;
    if (bits >= 8) {
      store<u8>(to++, <u8>held);
      held >>= 8;
      bits -= 8;
    }
  }
  store<u8>(to, <u8>(held | ((<u64>0xff) << bits)));
  memory.fill(to + 1, 0xff, ((<usize>width * 2 * 30) >> 3) + 31);
  return <i32>(((to - magnitudeBits) << 3) + <usize>bits);
}

/**
 * Writes the bits of the VLC code, which is read backwards from before `end` to `from`, to
 * `codewordBits`, followed by zeros for a row of `across` quads. Returns the bit at which the zeros
 * start at the latest.
 */
export function gatherCodewords(from: usize, end: usize, across: i32): i32 {
  let to = codewordBits + 8;
  // The first twelve bits are the length.
  let last = <u32>load<u8>(end - 2) | 0x0f;
  let held: u64 = last >> 4;
  let bits: u64 = (held & 7) == 7 ? 3 : 4;
  let left = <i32>(end - 2 - from);
  let at = end - 2;
  while (left > 0) {
    if (left >= 8) {
      const word = load<u64>(at - 8);
      if (!mayBeStuffed(word)) {
        const turned = bswap<u64>(word);
        store<u64>(to, held | (turned << bits));
        held = beyond(turned, bits);
        last = <u32>(word & 0xff);
        to += 8;
        at -= 8;
        left -= 8;
        continue;
      }
    }
    const byte = <u32>load<u8>(--at);
    left--;
    held |= (<u64>byte) << bits;
    bits += last > 0x8f && (byte & 0x7f) == 0x7f ? 7 : 8;
    last = byte;
    if (bits >= 8) {
      store<u8>(to++, <u8>held);
      held >>= 8;
      bits -= 8;
    }
  }
  store<u64>(to, held);
  const more = ((<usize>across + 1) >> 1) * 38;
  memory.fill(to + 8, 0, (more >> 3) + 17);
  return <i32>(to + 2 - codewordBits) << 3;
}

/** The bits of the MEL code read so far, the next one highest. */
let runBits: u64 = 0;
let runCount: i32 = 0;
let runAt: usize = 0;
let runEnd: usize = 0;
let runLast: u32 = 0;
let runState: u32 = 0;
/** The number of symbols read so far, and the address of the next number. */
let symbolsRead: i32 = 0;
let nextOne: usize = 0;

/**
 * The exponents of the thirteen states of the MEL code (Rec. ITU-T T.814, 7.3), four bits each,
 * state 0 lowest.
 */
const runExponents: u64 = 0x5433222111000;
const runStates: u32 = 13;

/**
 * For a block: one symbol for each of at most 1,230 quads and each pair in the first row, and one
 * extra run.
 */
const maxOnes: i32 = 2_048;
/** Greater than the number of any symbol. */
const never: i32 = 0x7fff_ffff;

/**
 * The numbers, from 1, of the symbols of the MEL code that are ones, in 32 bits each; the last
 * known one is followed by a number that no symbol has.
 */
export const ones: usize = memory.data(maxOnes * 4, 16);

/** Starts the MEL code from `from` (inclusive) to `end` (exclusive). */
export function startRuns(from: usize, end: usize): void {
  runBits = 0;
  runCount = 0;
  runAt = from;
  runEnd = end;
  runLast = 0;
  runState = 0;
  symbolsRead = 0;
  nextOne = ones;
}

/** Refills the register to more bits than a run takes. */
function fillRuns(): void {
  while (runCount <= 56) {
    let byte: u32 = 0xff;
    // The last twelve bits of the segment are its length, and are read as ones (7.1).
    if (runAt + 2 < runEnd) byte = <u32>load<u8>(runAt);
    else if (runAt + 2 == runEnd) byte = <u32>load<u8>(runAt) | 0x0f;
    runAt++;
    const count: i32 = runLast == 0xff ? 7 : 8;
    const value = <u64>(runLast == 0xff ? byte & 0x7f : byte);
    runBits |= value << <u64>(64 - runCount - count);
    runCount += count;
    runLast = byte;
  }
}

/** Reads runs of the MEL code (7.1) until `ones` covers the first `symbols` symbols. */
export function readRuns(symbols: i32): void {
  let read = symbolsRead;
  if (read >= symbols) return;
  let to = nextOne;
  let state = runState;
  while (read < symbols) {
    if (runCount < 6) fillRuns();
    const exponent = <u32>(runExponents >> (<u64>(state << 2))) & 15;
    if (<i64>runBits < 0) {
      runBits <<= 1;
      runCount--;
      if (state < runStates - 1) state++;
      read += 1 << exponent;
    } else {
      read += <i32>(runBits >> <u64>(63 - exponent)) + 1;
      runBits <<= <u64>(exponent + 1);
      runCount -= <i32>exponent + 1;
      if (state > 0) state--;
      store<i32>(to, read);
      to += 4;
    }
  }
  store<i32>(to, never);
  symbolsRead = read;
  nextOne = to;
  runState = state;
}
