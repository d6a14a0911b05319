// Finite state entropy (RFC 8878, 4.1): the probabilities of symbols, and the symbol of each state.

/**
 * For each symbol its number of states; -1 for a single one of less than the lowest probability.
 */
export const probabilities: usize = memory.data(2 * 256, 16);
/** The symbol of each state. */
export const states: usize = memory.data(512, 16);
/** For each symbol the number of its next state, counted as in 4.1.1. */
const numbers: usize = memory.data(2 * 256, 16);

/** Of the last distribution read: its number of states, as a power of two, and of symbols. */
export let accuracy: u32 = 0;
export let symbolCount: u32 = 0;

/**
 * Reads a distribution of symbols up to `maxSymbol` over at most 2 ^ `maxAccuracy` states. Returns
 * its length in bytes, or 0 if it is corrupt.
 */
export function readDistribution(at: usize, end: usize, maxSymbol: u32, maxAccuracy: u32): usize {
  if (at >= end) return 0;
  accuracy = (<u32>load<u8>(at) & 15) + 5;
  if (accuracy > maxAccuracy) return 0;
  let bit: usize = 4;
  const bits = (end - at) << 3;
  let left: u32 = 1 << accuracy;
  let symbol: u32 = 0;
  while (left > 0 && symbol <= maxSymbol) {
    if (bit > bits) return 0;
    // Values from 0 to left + 1; the lower ones have one bit less.
    const width = log2(left + 1) + 1;
    const shorter: u32 = (1 << (width - 1)) - 1;
    const threshold: u32 = (1 << width) - 2 - left;
    let value = peek(at, bit) & ((1 << width) - 1);
    if ((value & shorter) < threshold) {
      value &= shorter;
      bit += width - 1;
    } else {
      if (value > shorter) value -= threshold;
      bit += width;
    }
    const probability = <i32>value - 1;
    left -= probability < 0 ? 1 : <u32>probability;
    store<i16>(probabilities + 2 * symbol, <i16>probability);
    symbol++;
    if (probability != 0) continue;
    let more: u32 = 3;
    while (more == 3) {
      if (bit > bits) return 0;
      more = peek(at, bit) & 3;
      bit += 2;
      if (more > maxSymbol + 1 - symbol) return 0;
      for (let k: u32 = 0; k < more; k++, symbol++) store<i16>(probabilities + 2 * symbol, 0);
    }
  }
  symbolCount = symbol;
  return left == 0 && bit <= bits ? (bit + 7) >> 3 : 0;
}

// @ts-ignore: decorator
@inline
function peek(at: usize, bit: usize): u32 {
  return load<u32>(at + (bit >> 3)) >> (<u32>bit & 7);
}

/** Fills `states`, and restarts the numbering of states. */
export function spread(accuracy: u32, symbolCount: u32): void {
  const size: u32 = 1 << accuracy;
  let free = size;
  for (let symbol: u32 = 0; symbol < symbolCount; symbol++) {
    const probability = load<i16>(probabilities + 2 * symbol);
    if (probability < 0) store<u8>(states + --free, <u8>symbol);
    store<u16>(numbers + 2 * symbol, probability < 0 ? 1 : probability);
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let place: u32 = 0;
  for (let symbol: u32 = 0; symbol < symbolCount; symbol++)
    for (let count: i32 = load<i16>(probabilities + 2 * symbol); count > 0; count--) {
      store<u8>(states + place, <u8>symbol);
      do place = (place + step) & (size - 1);
      while (place >= free);
    }
}

/** The number of a symbol's next state; call for states in order. */
// @ts-ignore: decorator
@inline
export function nextNumber(symbol: u32): u32 {
  const number: u32 = load<u16>(numbers + 2 * symbol);
  store<u16>(numbers + 2 * symbol, <u16>(number + 1));
  return number;
}

/** The number of the highest set bit. */
// @ts-ignore: decorator
@inline
export function log2(value: u32): u32 {
  return 31 - clz(value);
}
