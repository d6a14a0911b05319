// The MQ decoder of ISO/IEC 15444-1, annex C, and the raw bits of D.6.
//
// In the common case (the more probable symbol, no renormalisation) the interval A and the code
// register C both decrease by Qe. So only D = min(C, A - 0x8000) is kept current and decreased by
// Qe; as long as D is not negative, nothing else has to be done. Otherwise A and C are updated from
// D and the full procedure runs.

/** The state of a context: Qe << 16 | state index << 1 | more probable symbol. */
export const contexts: usize = memory.data(19 * 4, 16);

/**
 * The offset of the next state after the less and the more probable symbol: 2 x 94 entries of 32
 * bits.
 */
const afterLess: usize = memory.data(94 * 4, 16);
const afterMore: usize = memory.data(94 * 4, 16);

/** Contexts of D.3 and D.4: 0 to 8 significance, 9 to 13 sign, 14 to 16 refinement. */
export const runContext: usize = contexts + 17 * 4;
export const uniformContext: usize = contexts + 18 * 4;

let interval: u32 = 0;
/** C with its upper half in bits 48 to 63, followed by `shifts` bits of the bytes read so far. */
let code: u64 = 0;
let shifts: i32 = 0;
let next: usize = 0;
/** D, and its value when A and C were last updated. */
let difference: i32 = 0;
let settled: i32 = 0;

let rawByte: u32 = 0;
let rawLeft: i32 = 0;

// Table C.2.
const probabilities = memory.data<u16>([
  0x5601, 0x3401, 0x1801, 0x0ac1, 0x0521, 0x0221, 0x5601, 0x5401, 0x4801, 0x3801, 0x3001, 0x2401, 0x1c01, 0x1601,
  0x5601, 0x5401, 0x5101, 0x4801, 0x3801, 0x3401, 0x3001, 0x2801, 0x2401, 0x2201, 0x1c01, 0x1801, 0x1601, 0x1401,
  0x1201, 0x1101, 0x0ac1, 0x09c1, 0x08a1, 0x0521, 0x0441, 0x02a1, 0x0221, 0x0141, 0x0111, 0x0085, 0x0049, 0x0025,
  0x0015, 0x0009, 0x0005, 0x0001, 0x5601,
]);
const nextMore = memory.data<u8>([
  1, 2, 3, 4, 5, 38, 7, 8, 9, 10, 11, 12, 13, 29, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
  32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 45, 46,
]);
const nextLess = memory.data<u8>([
  1, 6, 9, 12, 29, 33, 6, 14, 14, 14, 17, 18, 20, 21, 14, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 23, 24, 25, 26, 27,
  28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 46,
]);

function stateOf(state: u32, symbol: u32): u32 {
  return (<u32>load<u16>(probabilities + (state << 1)) << 16) | (state << 1) | symbol;
}

/** Fills the tables; call once. */
export function prepareArithmetic(): void {
  for (let state: u32 = 0; state < 47; state++)
    for (let symbol: u32 = 0; symbol < 2; symbol++) {
      const at = ((state << 1) | symbol) << 2;
      const switches: u32 = state == 0 || state == 6 || state == 14 ? 1 : 0;
      store<u32>(afterMore + at, stateOf(load<u8>(nextMore + state), symbol));
      store<u32>(afterLess + at, stateOf(load<u8>(nextLess + state), symbol ^ switches));
    }
}

/** Resets all contexts to their initial states (table D.7). */
export function resetContexts(): void {
  for (let context: usize = 0; context < 19; context++) store<u32>(contexts + (context << 2), stateOf(0, 0));
  store<u32>(contexts, stateOf(4, 0));
  store<u32>(runContext, stateOf(3, 0));
  store<u32>(uniformContext, stateOf(46, 0));
}

/** Starts a segment; its end must be followed by two bytes of 255. */
export function startArithmetic(from: usize): void {
  next = from;
  code = <u64>load<u8>(from) << 48;
  shifts = 0;
  takeBytes();
  code <<= 7;
  shifts -= 7;
  interval = 0x8000;
  settled = 0;
  difference = 0;
}

/** Starts a segment of raw bits; its end must be followed by two bytes of 255. */
export function startRaw(from: usize): void {
  next = from;
  rawByte = 0;
  rawLeft = 0;
}

/** Reads a raw bit; a byte that follows one of 255 has seven. Returns ones past the end. */
export function rawBit(): i32 {
  if (rawLeft == 0) {
    const byte: u32 = load<u8>(next);
    if (rawByte == 0xff && byte > 0x8f) {
      rawLeft = 8;
    } else {
      rawLeft = rawByte == 0xff ? 7 : 8;
      rawByte = byte;
      next++;
    }
  }
  rawLeft--;
  return (rawByte >> rawLeft) & 1;
}

/** Whether any of the four bytes is 255. */
// @ts-ignore: decorator
@inline
function hasFull(word: u32): bool {
  return ((~word - 0x01010101) & word & 0x80808080) != 0;
}

// C.3.4, four bytes at a time where none follows a byte of 255. At the end it stops advancing and
// returns ones.
// @ts-ignore: decorator
@inline
function takeBytes(): void {
  if (!hasFull(load<u32>(next))) {
    code += (<u64>bswap<u32>(load<u32>(next, 1))) << 16;
    next += 4;
    shifts = 32;
    return;
  }
  const following: u64 = load<u8>(next, 1);
  if (load<u8>(next) != 0xff) {
    next++;
    code += following << 40;
    shifts = 8;
  } else if (following > 0x8f) {
    code += <u64>0xff << 40;
    shifts = 8;
  } else {
    next++;
    code += following << 41;
    shifts = 7;
  }
}

/** Decodes a symbol. */
// @ts-ignore: decorator
@inline
export function decide(context: usize): i32 {
  const state = load<u32>(context);
  difference -= state & 0xffff0000;
  return difference < 0 ? settle(context, state) : state & 1;
}

/** Completes a symbol for which D became negative: C.3.2 and C.3.3. */
// @ts-ignore: decorator
@inline
function settle(context: usize, state: u32): i32 {
  const q = state >> 16;
  const taken = <u32>(settled - difference);
  let a = interval - (taken >> 16);
  let c = code;
  const isLower = c < (<u64>taken << 32);
  c -= <u64>taken << 32;
  if (isLower) c += <u64>q << 48;
  const isLess = isLower != a < q;
  if (isLower) a = q;
  store<u32>(context, load<u32>((isLess ? afterLess : afterMore) + <usize>((state & 0xff) << 2)));
  let left = <i32>clz(a) - 16;
  while (left > shifts) {
    a <<= shifts;
    c <<= <u64>shifts;
    left -= shifts;
    code = c;
    takeBytes();
    c = code;
  }
  a <<= left;
  c <<= <u64>left;
  shifts -= left;
  interval = a;
  code = c;
  settled = <i32>min<u32>(<u32>(c >> 32), (a - 0x8000) << 16);
  difference = settled;
  return (state & 1) ^ <i32>isLess;
}
