import { codewordBits, firstCodeword, gatherCodewords, ones, readRuns, startRuns } from "./bits";
import { readPair, take, taken } from "./magnitudes";

// An index into a table starts with bits of the code, kept two places up because entries have four
// bytes. The other parts of an index are stored in the entries at the position where they are
// needed, so that little has to be done between two lookups.

/**
 * The codewords from `expandCodewords`: those of the first row of quads, then those of all others.
 */
export const codewords: usize = memory.data(4_096, 16);

/**
 * The same, those of the first row last. Bits 0-5: length of the codeword, 8: whether an exponent
 * offset follows, 9-11: its contribution to the next quad's context, 16-31: the entry of
 * `codewords`.
 */
const entries: usize = memory.data(2 * 4_096, 16);
const lengthMask: u32 = 63;
const offsetBit: u32 = 0x100;
const contextMask: u32 = 0xe00;
const firstRow: u32 = 0x1000;

/**
 * Indexed by the next six bits of the exponent offsets u of two quads (7.1) and by which of them
 * have one (the second 0x100, the first 0x200). Bits 0-5: length of both codes, 6-9: length of the
 * prefixes alone plus two; for each quad (the first from bit 10, the second from bit 18) a five-bit
 * mask for its suffix, and three bits to add to that. Bits 26-28: length of the first suffix.
 * Followed by the tables of the first row, and of pairs of quads there that are both known to
 * exceed two.
 */
const offsets: usize = memory.data(9 * 256, 16);
const bothOffsets: u32 = 0x300;
const firstRowOffsets: u32 = 0x400;
const largeOffsets: u32 = 0x800;

/**
 * Both offsets of such quads, indexed by the next eight bits, four times as far apart. Bits 0-5:
 * length of both codes, 16-23: the first offset, 24-31: the second; or `longer`, if eight bits do
 * not suffice.
 */
const shortOffsets: usize = memory.data(9 * 1_024, 16);
const longer: u32 = 0x100;

/**
 * Prefixes of the code of u, indexed by the next three bits, one byte each: length (bits 0-1),
 * suffix length (2-4), value.
 */
const prefixes: u64 = 0x21422167214221b7;

/** Suffixes from this value on are followed by four more bits (7.1). */
const extended: u32 = 28;

function prefixOf(bits: u32): u32 {
  return <u32>(prefixes >> (<u64>((bits & 7) << 3))) & 0xff;
}

function offsetEntry(first: u32, second: u32, single: bool, bits: u32, more: u32): u32 {
  const one = first != 0 ? prefixOf(bits) : 0;
  let length = one & 3;
  // A single bit is enough if the other offset exceeds two and not both do (7.3).
  const isShort = single && length == 3;
  const other: u32 = second == 0 ? 0 : isShort ? (1 + ((bits >> 3) & 1)) << 5 : prefixOf(bits >> length);
  length += isShort ? 1 : other & 3;
  const oneSuffix = (one >> 2) & 7;
  const otherSuffix = (other >> 2) & 7;
  const oneBase = first != 0 ? (one >> 5) + more : 0;
  const otherBase = second != 0 ? (other >> 5) + more : 0;
  return (
    (length + oneSuffix + otherSuffix) |
    ((length + 2) << 6) |
    (((1 << oneSuffix) - 1) << 10) |
    (oneBase << 15) |
    (((1 << otherSuffix) - 1) << 18) |
    (otherBase << 23) |
    (oneSuffix << 26)
  );
}

/** Fills the tables; call once. */
export function prepareQuads(): void {
  for (let bits: u32 = 0; bits < 64; bits++) {
    const at = offsets + (<usize>bits << 2);
    for (let which: u32 = 0; which < 4; which++) {
      const place = at + (<usize>which << 8);
      store<u32>(place, offsetEntry(which >> 1, which & 1, false, bits, 0));
      store<u32>(place + <usize>firstRowOffsets, offsetEntry(which >> 1, which & 1, which == 3, bits, 0));
    }
    store<u32>(at + <usize>largeOffsets, offsetEntry(1, 1, false, bits, 2));
  }
  for (let kind: u32 = 0; kind < 9; kind++)
    for (let bits: u32 = 0; bits < 256; bits++) {
      const code = load<u32>(offsets + <usize>((kind << 8) | ((bits & 63) << 2)));
      const rest = bits >> (((code >> 6) & 15) - 2);
      const one = rest & (code >> 10) & 31;
      const other = (rest >> (code >> 26)) & (code >> 18) & 31;
      const length = code & lengthMask;
      const isLonger = length > 8 || max<u32>(one, other) >= extended;
      const both = ((((code >> 15) & 7) + one) << 16) | ((((code >> 23) & 7) + other) << 24);
      store<u32>(shortOffsets + <usize>((kind << 10) | (bits << 2)), isLonger ? longer : length | both);
    }
  for (let index: usize = 0; index < 2_048; index++) {
    const entry = <u32>load<u16>(codewords + (index << 1));
    const isFirst = index < 1_024;
    // In the first row, only the quad to the left is a neighbour (7.3).
    const context = isFirst
      ? ((entry >> 4) & 1) | ((entry >> 5) & 7)
      : ((entry >> 5) | (entry >> 6)) & 2;
    const place = entries + (index << 2) + (isFirst ? <usize>firstRow : -<usize>firstRow);
    store<u32>(place, (entry & 7) | ((entry & 8) << 5) | (context << 9) | (entry << 16));
  }
}

/** Masks of `contextsOf`, four times each: see `shorts` in magnitudes.ts for the reason. */
const sides: usize = memory.data<u32>([0x200, 0x200, 0x200, 0x200, 0x800, 0x800, 0x800, 0x800]);

/**
 * The contribution of the row above to the contexts of a row's quads (7.3), times 512; written to
 * the quads' places.
 */
// @ts-ignore: decorator
@inline
function contextsOf(quads: usize, stride: usize, across: i32): void {
  const left = v128.load(sides);
  const right = v128.load(sides, 16);
  for (const end = quads + (<usize>across << 2); quads < end; quads += 16) {
    const above = quads - stride;
    const middle = i32x4.shl(v128.load(above), 4);
    const one = v128.and(v128.or(i32x4.shl(v128.load(above - 4), 2), middle), left);
    const two = v128.and(v128.or(i32x4.shl(v128.load(above, 4), 6), middle), right);
    v128.store(quads, v128.or(one, two));
  }
}

/**
 * Two bits before the next bit of the VLC code, counted from `codewordBits`, and the start of the
 * zeros.
 */
let next: u32 = 0;
let last: u32 = 0;
/**
 * The number of symbols of the MEL code consumed, and the address of the number of its next one.
 */
let symbols: i32 = 0;
let nextOne: usize = 0;

/**
 * Starts a block with `across` quads per row, whose codes share the bytes from `from` (inclusive)
 * to `end` (exclusive).
 */
export function startQuads(from: usize, end: usize, across: i32): void {
  startRuns(from, end);
  symbols = 0;
  nextOne = ones;
  last = gatherCodewords(from, end, across);
  next = firstCodeword;
}

/**
 * Reads the significance and magnitude bounds of the next row of quads from the cleanup segment
 * (Rec. ITU-T T.814, 7.1 and 7.3). From `quads` on, each quad gets 32 bits: its codeword as in
 * `codewords` and above it the offset u; rows are `stride` bytes apart. One quad before each row is
 * 0, and so are those after it up to a multiple of four, and one more. If `isWithAbove`, the row
 * above is read as by `readNarrow`, in the time that would be spent waiting for dependent lookups
 * here.
 */
export function readQuads(quads: usize, stride: usize, across: i32, isFirst: bool, isWithAbove: bool): void {
  readRuns(symbols + across + (isFirst ? (across + 1) >> 1 : 0));
  // The distance to the next symbol that is a one.
  let until = load<i32>(nextOne) - symbols;
  // The last bits are followed by enough zeros for a row.
  let at = min<u32>(next, last);
  let bitsTaken = taken;
  store<u32>(quads - 4, 0);
  let which: u32 = 0;
  if (!isFirst) contextsOf(quads, stride, across);
  else {
    which = firstRowOffsets << 2;
    for (let place: usize = 0; place < <usize>across << 2; place += 16)
      v128.store(quads + place, i32x4.splat(firstRow));
  }
  let context: u32 = 0;
  const end = <usize>across << 2;
  let quad = quads;
  for (let place: usize = 0; place < end; place += 8, quad += 8) {
    if (isWithAbove) bitsTaken += readPair(quad - stride, bitsTaken, place);
    context |= load<u32>(quad);
    // Both quads and their neighbours are insignificant, and no codeword follows. A single test,
    // because two branches on such irregular data would be mispredicted.
    if ((((context | load<u32>(quad, 4)) & contextMask) | (<u32>(until - 3) & 0x80000000)) == 0) {
      until -= <i32>(min<usize>(end - place, 8) >> 2);
      context = 0;
      store<u64>(quad, 0);
      continue;
    }
    // Enough bits for both quads, so that no refill is needed.
    let held = load<u64>(<usize>(at >> 3), codewordBits) >> <u64>(at & 7);
    let first = load<u32>(<usize>(context | (<u32>held & 0x1fc)), entries);
    if ((context & contextMask) == 0) {
      until--;
      if (until != 0) first = 0;
      else {
        until = load<i32>(nextOne, 4) - load<i32>(nextOne);
        nextOne += 4;
      }
    }
    held >>= <u64>first;
    context = first & contextMask;
    let second: u32 = 0;
    if (place + 4 < end) {
      context |= load<u32>(quad, 4);
      second = load<u32>(<usize>(context | (<u32>held & 0x1fc)), entries);
      if ((context & contextMask) == 0) {
        until--;
        if (until != 0) second = 0;
        else {
          until = load<i32>(nextOne, 4) - load<i32>(nextOne);
          nextOne += 4;
        }
      }
      held >>= <u64>second;
      context = second & contextMask;
    }
    let codes = which | ((first & offsetBit) << 3) | ((second & offsetBit) << 2);
    if (codes == ((firstRowOffsets | bothOffsets) << 2)) {
      until--;
      if (until == 0) {
        codes = largeOffsets << 2;
        until = load<i32>(nextOne, 4) - load<i32>(nextOne);
        nextOne += 4;
      }
    }
    const offset = load<u32>(<usize>(codes | (<u32>held & 0x3fc)), shortOffsets);
    if ((offset & longer) == 0) {
      at += (first + second + offset) & lengthMask;
      store<u32>(quad, (first >> 16) | (offset & 0xff0000));
      store<u32>(quad, (second >> 16) | ((offset >> 8) & 0xff0000), 4);
      continue;
    }
    const code = load<u32>(<usize>((codes >> 2) | (<u32>held & 0xfc)), offsets);
    const rest = <u32>(held >> <u64>((code >> 6) & 15));
    const firstSuffix = rest & (code >> 10) & 31;
    const secondSuffix = (rest >> (code >> 26)) & (code >> 18) & 31;
    held >>= <u64>code;
    at += (first + second + code) & lengthMask;
    let firstOffset = ((code >> 15) & 7) + firstSuffix;
    let secondOffset = ((code >> 23) & 7) + secondSuffix;
    if (firstSuffix >= extended) {
      firstOffset += (<u32>held & 0x3c);
      held >>= 4;
      at += 4;
    }
    if (secondSuffix >= extended) {
      secondOffset += (<u32>held & 0x3c);
      at += 4;
    }
    store<u32>(quad, (first >> 16) | (firstOffset << 16));
    store<u32>(quad, (second >> 16) | (secondOffset << 16), 4);
  }
  // Clears the contexts stored there.
  v128.store(quad, i32x4.splat(0));
  symbols = load<i32>(nextOne) - until;
  next = at;
  if (isWithAbove) take(bitsTaken);
}
