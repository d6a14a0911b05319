// The bits of a cleanup segment (Rec. ITU-T T.814, 7.1), with what was stuffed among them taken out
// beforehand, so that eight bytes may be read from any bit on without a further look.

/**
 * A block takes no more of the MagSgn code: 4,096 numbers of 30 bits, of which one in eight may be
 * stuffing.
 */
const mostMagnitudeBytes: i32 = 17_560;
/** The MEL and the VLC code share as many at most: their length has twelve bits. */
const mostSharedBytes: i32 = 4_095;

/** What a row of quads takes at most of either code, and a few bytes that are read at once. */
const rowOfMagnitudes: i32 = (1_024 * 2 * 30) / 8 + 32;
const rowOfCodewords: i32 = (256 * 38) / 8 + 32;

/** The MagSgn code; ones behind its end. */
export const magnitudeBits: usize = memory.data(mostMagnitudeBytes + rowOfMagnitudes, 16);
/** The VLC code from its bit 64 on; zeros behind its end. */
export const codewordBits: usize = memory.data(8 + mostSharedBytes + rowOfCodewords, 16);
/** Two bits before the VLC code. */
export const firstCodeword: u32 = 62;

/** Whether one of the eight bytes is 0xFF, behind which only seven bits are used. */
// @ts-ignore: decorator
@inline
function isStuffed(word: u64): bool {
  return ((~word - 0x0101010101010101) & word & 0x8080808080808080) != 0;
}

/**
 * Whether one of the eight bytes has its lower seven bits set, which is where stuffing is possible.
 */
// @ts-ignore: decorator
@inline
function mayBeStuffed(word: u64): bool {
  const zeroed = (word & 0x7f7f7f7f7f7f7f7f) ^ 0x7f7f7f7f7f7f7f7f;
  return ((zeroed - 0x0101010101010101) & ~zeroed & 0x8080808080808080) != 0;
}

/** What `bits` (0 to 7) bits leave no room for of a word. */
// @ts-ignore: decorator
@inline
function beyond(word: u64, bits: u64): u64 {
  return (word >> 1) >> (63 - bits);
}

/**
 * Writes the bits of the MagSgn code from `from` to before `until` to `magnitudeBits`, and ones
 * behind them for a row of quads of a block of that width. Answers how many bits there are.
 */
export function gatherMagnitudes(from: usize, until: usize, width: i32): i32 {
  const end = min<usize>(until, from + <usize>mostMagnitudeBytes);
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
 * `codewordBits`, and zeros behind them for a row of `across` quads. Answers at which bit they
 * begin, at the latest.
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

/** The bits of the MEL code that were read, the next one highest. */
let runBits: u64 = 0;
let runCount: i32 = 0;
let runAt: usize = 0;
let runEnd: usize = 0;
let runLast: u32 = 0;
let runState: u32 = 0;
/** Up to which symbol the code was read, and where the next number goes. */
let symbolsRead: i32 = 0;
let nextOne: usize = 0;

/**
 * The exponents of the thirteen states of the MEL code (Rec. ITU-T T.814, 7.3), four bits each,
 * that of state 0 lowest.
 */
const runExponents: u64 = 0x5433222111000;
const runStates: u32 = 13;

/**
 * Of a block: a symbol for each quad, which are 1,230 at most, and each pair of the first row, and
 * a run beyond.
 */
const mostOnes: i32 = 2_048;
/** Greater than the number of any symbol. */
const never: i32 = 0x7fff_ffff;

/**
 * Which symbols of the MEL code are ones, counted from 1 on, in 32 bits each; behind the last one
 * known is a number that no symbol has.
 */
export const ones: usize = memory.data(mostOnes * 4, 16);

/** Begins with the MEL code from `from` to before `end`. */
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

/** Sees to it that more bits are held than a run takes. */
function fillRuns(): void {
  while (runCount <= 56) {
    let byte: u32 = 0xff;
    // The last twelve bits of the segment are its length, and read as ones (7.1).
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

/** Reads runs of the MEL code (7.1) until `ones` tells all of the first `symbols` symbols. */
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
