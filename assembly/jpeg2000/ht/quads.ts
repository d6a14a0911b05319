import { codewordBits, gatherCodewords, nextRun, startRuns } from "./bits";
import { lowers, numbers, powers, readPair, take, taken } from "./magnitudes";

// An index into a table begins with bits of the code, which are held two places up, as entries have four bytes. What else
// belongs into it stands where it has to be in the entries that tell it. So there is little to do from one look to the next.

/** The codewords as `expandCodewords` makes them: those of the first row of quads, then those of all others. */
export const codewords: usize = memory.data(4_096, 16);

/**
 * The same, those of the first row last. Of 32 bits: 0-5 how long the codeword is, 8 whether an exponent offset
 * follows, 9-11 what it adds to the next quad's context, 16-31 the entry of `codewords`.
 */
const entries: usize = memory.data(2 * 4_096, 16);
const lengthMask: u32 = 63;
const offsetBit: u32 = 0x100;
const contextMask: u32 = 0xe00;
const firstRow: u32 = 0x1000;

/**
 * What is said by the next six bits of the exponent offsets u of two quads (7.1), by which of them have one (the second
 * 0x100, the first 0x200). Of 32 bits: 0-5 how long both codes are, 6-9 two more than the prefixes alone are; for each
 * quad (the first from bit 10 on, the second from bit 18 on) a mask of five bits for its suffix, and what is to be added to
 * that in three. Bits 26-28: the length of the first suffix. Behind these those of the first row, and behind those the ones
 * of quads there which are both known to be more than two.
 */
const offsets: usize = memory.data(9 * 256, 16);
const bothOffsets: u32 = 0x300;
const firstRowOffsets: u32 = 0x400;
const largeOffsets: u32 = 0x800;

/** Prefixes of the code of u by the next three bits, one byte each: length (bits 0-1), that of the suffix (2-4), meaning. */
const prefixes: u64 = 0x21422167214221b7;

/** Suffixes from here on are followed by four bits more (7.1). */
const extended: u32 = 28;

function prefixOf(bits: u32): u32 {
  return <u32>(prefixes >> (<u64>((bits & 7) << 3))) & 0xff;
}

function offsetEntry(first: u32, second: u32, single: bool, bits: u32, more: u32): u32 {
  const one = first != 0 ? prefixOf(bits) : 0;
  let length = one & 3;
  // One bit is all where the other offset is more than two, and not both are (7.3).
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

/** Fills the tables; once is enough. */
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
  for (let index: usize = 0; index < 2_048; index++) {
    const entry = <u32>load<u16>(codewords + (index << 1));
    const isFirst = index < 1_024;
    // In the first row the quad to the left is all there is (7.3).
    const context = isFirst
      ? ((entry >> 4) & 1) | ((entry >> 5) & 7)
      : ((entry >> 5) | (entry >> 6)) & 2;
    const place = entries + (index << 2) + (isFirst ? <usize>firstRow : -<usize>firstRow);
    store<u32>(place, (entry & 7) | ((entry & 8) << 5) | (context << 9) | (entry << 16));
  }
}

/** What the quads above a row say of its quads' contexts (7.3), 512 times: put where the quads will be. */
// @ts-ignore: decorator
@inline
function contextsOf(quads: usize, stride: usize, across: i32): void {
  const left = i32x4.splat(0x200);
  const right = i32x4.splat(0x800);
  for (const end = quads + (<usize>across << 2); quads < end; quads += 16) {
    const above = quads - stride;
    const middle = i32x4.shl(v128.load(above), 4);
    const one = v128.and(v128.or(i32x4.shl(v128.load(above - 4), 2), middle), left);
    const two = v128.and(v128.or(i32x4.shl(v128.load(above, 4), 6), middle), right);
    v128.store(quads, v128.or(one, two));
  }
}

/** The VLC code: where the next bytes are and where the last ones, bits that are held, and how many; the run that goes on. */
let next: usize = 0;
let last: usize = 0;
let waiting: u64 = 0;
let waitingBits: u32 = 0;
let openRun: i32 = 0;

/** Begins with a block of `across` quads a row, which share the bytes from `from` to before `end`. */
export function startQuads(from: usize, end: usize, across: i32): void {
  startRuns(from, end);
  openRun = nextRun();
  last = gatherCodewords(from, end, across);
  next = codewordBits;
  waiting = 0;
  waitingBits = 2;
}

/**
 * Reads what the cleanup segment says of the next row of quads (Rec. ITU-T T.814, 7.1 and 7.3): which of their samples are
 * significant, and how large they may be. From `quads` on each quad gets 32 bits, its codeword as in `codewords` and
 * above it the offset u, in rows `stride` bytes apart. One quad before each row is 0, and so are all behind it up to a
 * multiple of four, and one more. Where `isWithAbove`, the row above is read as `readNarrow` does, in the time in which one
 * look after another has to be waited for here.
 */
export function readQuads(quads: usize, stride: usize, across: i32, isFirst: bool, isWithAbove: bool): void {
  let run = openRun;
  // There are zeros enough for one row behind the last bits.
  let at = min<usize>(next, last);
  let held = waiting;
  let bits = waitingBits;
  let above = quads - stride;
  let bitsTaken = taken;
  let to = numbers;
  let lower = lowers;
  let power = powers;
  store<u32>(quads - 4, 0);
  let which: u32 = 0;
  if (!isFirst) contextsOf(quads, stride, across);
  else {
    which = firstRowOffsets;
    for (let place: usize = 0; place < <usize>across << 2; place += 16)
      v128.store(quads + place, i32x4.splat(firstRow));
  }
  let quad = quads;
  let context: u32 = 0;
  for (let pair = 0; pair < across; pair += 2, quad += 8) {
    if (isWithAbove) {
      bitsTaken += readPair(above, bitsTaken, to, lower, power);
      above += 8;
      to += 16;
      lower += 16;
      power += 8;
    }
    held |= load<u64>(at) << <u64>bits;
    at += (63 - bits) >> 3;
    bits |= 56;
    context |= load<u32>(quad);
    let first = load<u32>(entries + <usize>(context | (<u32>held & 0x1fc)));
    if ((context & contextMask) == 0) {
      run -= 2;
      if (run != -1) first = 0;
      if (run < 0) run = nextRun();
    }
    held >>= <u64>first;
    context = first & contextMask;
    let second: u32 = 0;
    if (pair + 1 < across) {
      context |= load<u32>(quad, 4);
      second = load<u32>(entries + <usize>(context | (<u32>held & 0x1fc)));
      if ((context & contextMask) == 0) {
        run -= 2;
        if (run != -1) second = 0;
        if (run < 0) run = nextRun();
      }
      held >>= <u64>second;
      context = second & contextMask;
    }
    let codes = which | ((first & offsetBit) << 1) | (second & offsetBit);
    if (codes == (firstRowOffsets | bothOffsets)) {
      run -= 2;
      if (run == -1) codes = largeOffsets;
      if (run < 0) run = nextRun();
    }
    const code = load<u32>(offsets + <usize>(codes | (<u32>held & 0xfc)));
    const rest = <u32>(held >> <u64>((code >> 6) & 15));
    const firstSuffix = rest & (code >> 10) & 31;
    const secondSuffix = (rest >> (code >> 26)) & (code >> 18) & 31;
    held >>= <u64>code;
    bits -= (first + second + code) & lengthMask;
    let firstOffset = ((code >> 15) & 7) + firstSuffix;
    let secondOffset = ((code >> 23) & 7) + secondSuffix;
    if (((firstOffset | secondOffset) & 32) != 0) {
      if (firstSuffix >= extended) {
        firstOffset += (<u32>held & 0x3c);
        held >>= 4;
        bits -= 4;
      }
      if (secondSuffix >= extended) {
        secondOffset += (<u32>held & 0x3c);
        held >>= 4;
        bits -= 4;
      }
    }
    store<u32>(quad, (first >> 16) | (firstOffset << 16));
    store<u32>(quad, (second >> 16) | (secondOffset << 16), 4);
  }
  // Contexts were put there.
  v128.store(quad, i32x4.splat(0));
  openRun = run;
  next = at;
  waiting = held;
  waitingBits = bits;
  if (isWithAbove) take(bitsTaken);
}
