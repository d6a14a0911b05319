// Finite state entropy (RFC 8878, 4.1): how probable symbols are, and which of them each state
// stands for.

/**
 * For each symbol, of how many states it has; -1 for a single one that is less probable than any.
 */
export const probabilities: usize = memory.data(2 * 256, 16);
/** The symbol of each state. */
export const states: usize = memory.data(512, 16);
/** For each symbol, the number of its next state, counted as 4.1.1 has it. */
const numbers: usize = memory.data(2 * 256, 16);

/**
 * Of the distribution that was read last: how many states it has, as a power of two, and how many
 * symbols.
 */
export let accuracy: u32 = 0;
export let symbolCount: u32 = 0;

/**
 * Reads a distribution of symbols up to `mostSymbol` over at most two to the power of
 * `mostAccuracy` states. Answers how many bytes it takes, or 0 where it is damaged.
 */
export function readDistribution(at: usize, end: usize, mostSymbol: u32, mostAccuracy: u32): usize {
  if (at >= end) return 0;
  accuracy = (<u32>load<u8>(at) & 15) + 5;
  if (accuracy > mostAccuracy) return 0;
  let bit: usize = 4;
  const bits = (end - at) << 3;
  let left: u32 = 1 << accuracy;
  let symbol: u32 = 0;
  while (left > 0 && symbol <= mostSymbol) {
    if (bit > bits) return 0;
    // Values from 0 to left + 1, the lower of them in one bit less.
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
      if (more > mostSymbol + 1 - symbol) return 0;
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

/** Fills `states`, and has the numbers of states begin anew. */
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

/** The number of the next state of a symbol; states are asked for in their order. */
// @ts-ignore: decorator
@inline
export function nextNumber(symbol: u32): u32 {
  const number: u32 = load<u16>(numbers + 2 * symbol);
  store<u16>(numbers + 2 * symbol, <u16>(number + 1));
  return number;
}

/** The number of the highest bit that is set. */
// @ts-ignore: decorator
@inline
export function log2(value: u32): u32 {
  return 31 - clz(value);
}
