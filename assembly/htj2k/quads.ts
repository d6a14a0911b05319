/** Bits 0-2 of a codeword's entry say how long it is; the others are its meaning (see `expand`). */
const lengthMask: u32 = 7;
const offsetBit: u32 = 8;

/** What an entry of a quad holds: the codeword's meaning in the lower half, the exponent offset u above. */
const offsetShift: u32 = 16;

/** Zeros, then whether a one ends them: both of a run of the adaptive run-length code, as 2n + 1 or 2n. */
let melAt: usize = 0;
let melEnd: usize = 0;
let melByte: u32 = 0;
let melHeld: u32 = 0;
let melState: u32 = 0;

/**
 * The exponents of the thirteen states of the MEL code (Rec. ITU-T T.814, 7.3), four bits each,
 * that of state 0 lowest.
 */
const melExponents: u64 = 0x5433222111000;
const melStates: u32 = 13;

function melBit(): u32 {
  if (melHeld === 0) {
    melHeld = melByte === 0xff ? 7 : 8;
    // The last twelve bits of the segment are its length, and read as ones (7.1).
    if (melAt + 2 < melEnd) melByte = <u32>load<u8>(melAt);
    else melByte = melAt + 2 === melEnd ? <u32>load<u8>(melAt) | 0x0f : 0xff;
    melAt++;
  }
  melHeld--;
  return (melByte >> melHeld) & 1;
}

/** The next run of the MEL code (7.1): twice its zeros, and 1 where a one follows, less 2 where none does. */
function melRun(): i32 {
  const exponent = <u32>(melExponents >> (<u64>(melState << 2))) & 15;
  if (melBit() !== 0) {
    if (melState < melStates - 1) melState++;
    return ((1 << exponent) - 1) << 1;
  }
  let zeros: i32 = 0;
  for (let bit: u32 = 0; bit < exponent; bit++) zeros = (zeros << 1) | <i32>melBit();
  if (melState > 0) melState--;
  return (zeros << 1) | 1;
}

/**
 * Prefixes of the code of u by the next three bits (7.1), one byte each: how long the
 * prefix is (bits 0-1), how long its suffix (2-4) and what it stands for (5-7).
 */
const prefixes: u64 = 0x21422167214221b7;

// @ts-ignore: decorator
@inline
function prefixOf(bits: u64): u32 {
  return <u32>(prefixes >> ((bits & 7) << 3)) & 0xff;
}

/** Suffixes from here on are followed by four bits more (7.1). */
const extended: u32 = 28;

/** Whether one of the four bytes has its lower seven bits set, which is where stuffing is possible. */
// @ts-ignore: decorator
@inline
function mayBeStuffed(word: u32): bool {
  const zeroed = (word & 0x7f7f7f7f) ^ 0x7f7f7f7f;
  return ((zeroed - 0x01010101) & ~zeroed & 0x80808080) !== 0;
}

/**
 * Reads what the cleanup segment from `from` to before `end` says of a block's quads (Rec. ITU-T
 * T.814, 7.1 and 7.3): which of their samples are significant, and how large they may be. `shared`
 * bytes at the end of the segment are those of the MEL and the VLC code. `codewords` is the table that
 * `expand` made; from `quads` on each quad gets 32 bits, `stride` of them to a row, of which the first
 * stays 0 and at least one behind the last quad does; a row of zeros has to come before the first.
 */
export function readQuads(
  from: usize,
  end: usize,
  codewords: usize,
  quads: usize,
  stride: i32,
  across: i32,
  down: i32,
): void {
  melAt = from;
  melEnd = end;
  melByte = 0;
  melHeld = 0;
  melState = 0;
  let run = melRun();
  // The VLC code is read from the end on backwards (7.1), its first twelve bits being the length.
  let last = <u32>load<u8>(end - 2) | 0x0f;
  let held: u64 = last >> 4;
  let bits: u32 = (held & 7) === 7 ? 3 : 4;
  let at: usize = end - 3;
  const above = -(stride << 2);
  for (let row = 0; row < down; row++) {
    const table = row === 0 ? codewords : codewords + 2_048;
    let quad = quads + (<usize>(row * stride + 1) << 2);
    // Which of the quad before are significant.
    let before: u32 = 0;
    for (let pair = 0; pair < across; pair += 2) {
      while (bits < 40) {
        if (bits <= 32 && at >= from + 3) {
          const word = load<u32>(at - 3);
          if (!mayBeStuffed(word)) {
            held |= (<u64>bswap<u32>(word)) << (<u64>bits);
            bits += 32;
            last = word & 0xff;
            at -= 4;
            continue;
          }
        }
        const byte = at >= from ? <u32>load<u8>(at) : 0;
        held |= (<u64>byte) << (<u64>bits);
        bits += last > 0x8f && (byte & 0x7f) === 0x7f ? 7 : 8;
        last = byte;
        at--;
      }
      let context: u32;
      if (row === 0) context = ((before >> 4) & 1) | (before >> 5);
      else context = contextOf(quad + above, before);
      let first: u32 = 0;
      if (context === 0) {
        run -= 2;
        if (run === -1) first = load<u16>(table + (<usize>(held & 0x7f) << 1));
        if (run < 0) run = melRun();
      } else first = load<u16>(table + (<usize>((context << 7) | (<u32>held & 0x7f)) << 1));
      held >>= <u64>(first & lengthMask);
      bits -= first & lengthMask;
      before = first & 0xf0;
      let second: u32 = 0;
      if (pair + 1 < across) {
        if (row === 0) context = ((before >> 4) & 1) | (before >> 5);
        else context = contextOf(quad + above + 4, before);
        if (context === 0) {
          run -= 2;
          if (run === -1) second = load<u16>(table + (<usize>(held & 0x7f) << 1));
          if (run < 0) run = melRun();
        } else second = load<u16>(table + (<usize>((context << 7) | (<u32>held & 0x7f)) << 1));
        held >>= <u64>(second & lengthMask);
        bits -= second & lengthMask;
        before = second & 0xf0;
      }
      let firstOffset: u32 = 0;
      let secondOffset: u32 = 0;
      if (((first | second) & offsetBit) !== 0) {
        let firstPrefix: u32 = 0;
        let secondPrefix: u32 = 0;
        let more: u32 = 0;
        let single = false;
        const both = (first & second & offsetBit) !== 0;
        if (row === 0 && both) {
          run -= 2;
          if (run === -1) more = 2;
          if (run < 0) run = melRun();
          single = more === 0;
        }
        if ((first & offsetBit) !== 0) {
          firstPrefix = prefixOf(held);
          held >>= <u64>(firstPrefix & 3);
          bits -= firstPrefix & 3;
        }
        if (single && (firstPrefix & 3) === 3) {
          // One bit is all where the other offset is more than two, and not both are (7.3).
          secondOffset = 1 + (<u32>held & 1);
          held >>= 1;
          bits--;
        } else if ((second & offsetBit) !== 0) {
          secondPrefix = prefixOf(held);
          held >>= <u64>(secondPrefix & 3);
          bits -= secondPrefix & 3;
        }
        const firstLength = (firstPrefix >> 2) & 7;
        const firstSuffix = <u32>held & ((1 << firstLength) - 1);
        held >>= <u64>firstLength;
        bits -= firstLength;
        const secondLength = (secondPrefix >> 2) & 7;
        const secondSuffix = <u32>held & ((1 << secondLength) - 1);
        held >>= <u64>secondLength;
        bits -= secondLength;
        if ((first & offsetBit) !== 0) firstOffset = more + (firstPrefix >> 5) + firstSuffix;
        if (secondPrefix !== 0) secondOffset = more + (secondPrefix >> 5) + secondSuffix;
        if (firstSuffix >= extended) {
          firstOffset += (<u32>held & 15) << 2;
          held >>= 4;
          bits -= 4;
        }
        if (secondSuffix >= extended) {
          secondOffset += (<u32>held & 15) << 2;
          held >>= 4;
          bits -= 4;
        }
      }
      store<u32>(quad, first | (firstOffset << offsetShift));
      store<u32>(quad, second | (secondOffset << offsetShift), 4);
      quad += 8;
    }
  }
}

/** The context of a quad below the first row (7.3), by the quad above it and what is left of it. */
// @ts-ignore: decorator
@inline
function contextOf(above: usize, before: u32): u32 {
  const left = load<u32>(above - 4) >> 7;
  const middle = load<u32>(above);
  const right = load<u32>(above, 4) >> 5;
  return (
    ((left | (middle >> 5)) & 1) |
    (((before >> 5) | (before >> 6)) & 2) |
    (((right | (middle >> 7)) & 1) << 2)
  );
}
