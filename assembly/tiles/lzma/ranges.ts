// The range decoder of LZMA: bits by their probabilities, 16-bit numbers in 2,048ths for a 0.

/** The next byte to read. */
export let at: usize = 0;
let range: u32 = 0;
let code: u32 = 0;

const wholeRange: u32 = 1 << 11;
const adaption: u32 = 5;
const leastRange: u32 = 1 << 24;

/** The number of bytes that initialize the decoder; the first of them is 0. */
export const bytesAtStart: usize = 5;

/** Initializes the decoder; returns false if the first byte is invalid. */
export function startRanges(from: usize): bool {
  range = 0xffffffff;
  code = bswap<u32>(load<u32>(from, 1));
  at = from + bytesAtStart;
  return load<u8>(from) == 0;
}

/** Whether all input is consumed. */
export function isUsedUp(): bool {
  return code == 0;
}

// @ts-ignore: decorator
@inline
function refill(): void {
  if (range >= leastRange) return;
  range <<= 8;
  code = (code << 8) | <u32>load<u8>(at++);
}

/** A bit with the adaptive probability at an address. */
// @ts-ignore: decorator
@inline
export function nextBit(probability: usize): u32 {
  const value: u32 = load<u16>(probability);
  const bound = (range >>> 11) * value;
  let bit: u32 = 0;
  if (code < bound) {
    range = bound;
    store<u16>(probability, <u16>(value + ((wholeRange - value) >> adaption)));
  } else {
    range -= bound;
    code -= bound;
    store<u16>(probability, <u16>(value - (value >> adaption)));
    bit = 1;
  }
  refill();
  return bit;
}

/** A number of some bits, highest first, each with its own probability for the bits before it. */
// @ts-ignore: decorator
@inline
export function nextNumber(probabilities: usize, bits: u32): u32 {
  let number: u32 = 1;
  for (let k: u32 = 0; k < bits; k++) number = (number << 1) | nextBit(probabilities + 2 * number);
  return number - (1 << bits);
}

/** As `nextNumber`, lowest bit first. */
export function nextReversed(probabilities: usize, bits: u32): u32 {
  let place: u32 = 1;
  let number: u32 = 0;
  for (let k: u32 = 0; k < bits; k++) {
    const bit = nextBit(probabilities + 2 * place);
    place = (place << 1) | bit;
    number |= bit << k;
  }
  return number;
}

/** A number of equiprobable bits. */
export function nextEven(bits: u32): u32 {
  let number: u32 = 0;
  for (; bits > 0; bits--) {
    range >>>= 1;
    const bit: u32 = code >= range ? 1 : 0;
    if (bit) code -= range;
    number = (number << 1) | bit;
    refill();
  }
  return number;
}
