// The codes of a block (RFC 1951, 3.2.2 and 3.2.5) as two tables, looked up by the bits that come
// next. An entry:
//
//   bits 0-5   how many bits of the stream it stands for
//   bit 6      a literal
//   bit 7      anything that `inflateBlock` treats apart: bit 14 or 15, the end of the block (value
// 0), or a length whose              extra bits are still to be read   bits 8-13  where extra bits
// begin: the bits of the code, and `scale`   bit 14     the code is longer than a place in the
// table has bits; the rest of it is looked up from the value on   bit 15     no code   bits 16-31
// the literal, the length, or the distance without its extra bits
//
// A length's extra bits are part of the place where they fit, so that most entries are lengths as
// they are.

/** Index bits of the table of literals and lengths. */
export const literalBits: u32 = 11;
/** Index bits of the table of distances. */
export const distanceBits: u32 = 9;
/** The maximum length of a code. */
export const maxBits: u32 = 15;
/**
 * The next bit is held this far above the lowest bit of a register, so that the register holds the
 * offset of a four-byte entry.
 */
export const scale: u32 = 2;

export const isLiteral: u32 = 1 << 6;
export const isSpecial: u32 = 1 << 7;
export const isLonger: u32 = 1 << 14;
export const isNone: u32 = 1 << 15;

/** The maximum number of symbols of a code. */
const maxSymbols: u32 = 288;
const distanceSymbols: u32 = 32;

// A code is complete, so where it exceeds the index bits, two or more symbols share the second
// table.
export const literalTable: usize = memory.data(4 * ((1 << 11) + 144 * (1 << 4)), 64);
export const distanceTable: usize = memory.data(4 * ((1 << 9) + 16 * (1 << 6)), 64);

/** Entries of symbols without the bits of their codes. */
const literalMeanings: usize = memory.data(4 * 288, 16);
const distanceMeanings: usize = memory.data(4 * 32, 16);
/** Lengths of codes, one byte per symbol: literals and lengths, followed by distances. */
export const codeLengths: usize = memory.data(288 + 32, 16);

/**
 * For each length the number of its symbols, and later the index in `sorted` after its last symbol.
 */
const counts: usize = memory.data(2 * 16, 16);
/** Symbols in the order of their codes. */
const sorted: usize = memory.data(2 * 288, 16);
/** The code of each symbol, its first bit lowest. */
const codes: usize = memory.data(2 * 288, 16);

const endOfBlock: u32 = 256;
const firstLength: u32 = 257;
/** The first length symbol with extra bits. */
const firstExtra: u32 = 265;
const lastLength: u32 = 285;
const distances: u32 = 30;

/** Fills the tables that all streams share; call once. */
export function prepareCodes(): void {
  const plain = scale << 8;
  for (let s: u32 = 0; s < endOfBlock; s++) store<u32>(literalMeanings + 4 * s, isLiteral | (s << 16));
  store<u32>(literalMeanings + 4 * endOfBlock, isSpecial);
  let least: u32 = 3;
  for (let s = firstLength; s < lastLength; s++) {
    const extra = extraOfLength(s);
    store<u32>(literalMeanings + 4 * s, plain | extra | (least << 16));
    least += <u32>1 << extra;
  }
  store<u32>(literalMeanings + 4 * lastLength, plain | (258 << 16));
  for (let s = lastLength + 1; s < maxSymbols; s++) store<u32>(literalMeanings + 4 * s, isSpecial | isNone);
  least = 1;
  for (let s: u32 = 0; s < distances; s++) {
    const extra: u32 = s < 4 ? 0 : (s - 2) >> 1;
    store<u32>(distanceMeanings + 4 * s, plain | extra | (least << 16));
    least += <u32>1 << extra;
  }
  for (let s = distances; s < distanceSymbols; s++) store<u32>(distanceMeanings + 4 * s, isSpecial | isNone);
}

function extraOfLength(symbol: u32): u32 {
  return symbol < firstExtra || symbol == lastLength ? 0 : (symbol - 261) >> 2;
}

/** Makes both tables of the fixed codes (3.2.6). */
export function makeFixedTables(): void {
  memory.fill(codeLengths, 8, 144);
  memory.fill(codeLengths + 144, 9, 112);
  memory.fill(codeLengths + 256, 7, 24);
  memory.fill(codeLengths + 280, 8, 8);
  memory.fill(codeLengths + maxSymbols, 5, distanceSymbols);
  makeTables(maxSymbols, distanceSymbols);
}

/** Makes both tables from the lengths at `codeLengths`; returns false if these are invalid. */
export function makeTables(literals: u32, distances: u32): bool {
  if (!makeTable(distanceTable, distanceBits, distanceMeanings, codeLengths + literals, distances)) return false;
  if (!makeTable(literalTable, literalBits, literalMeanings, codeLengths, literals)) return false;
  addExtraBits(literals);
  return true;
}

function makeTable(table: usize, bits: u32, meanings: usize, lengths: usize, symbols: u32): bool {
  const longest = sort(lengths, symbols);
  if (longest < 0) return false;
  if (longest < 2 && load<u16>(counts + 2) < 2) {
    makeIncomplete(table, bits, meanings);
    return true;
  }
  let index: u32 = 0;
  let code: u32 = 0;
  for (let length: u32 = 1; length <= bits; length++) {
    if (length > 1) double(table, <usize>4 << (length - 1));
    const added = length | (length << 8);
    for (const end: u32 = load<u16>(counts + 2 * length); index < end; index++) {
      const symbol = <usize>load<u16>(sorted + 2 * index);
      store<u32>(table + 4 * code, load<u32>(meanings + 4 * symbol) + added);
      store<u16>(codes + 2 * symbol, <u16>code);
      code = next(code, length);
    }
  }
  if (<u32>longest > bits) makeLonger(table, bits, meanings, index, code);
  return true;
}

/**
 * Sorts symbols by their codes. Returns the maximum length; -1 if the code is oversubscribed or
 * incomplete: as in zlib, only a single code of one bit, or none at all, may leave others unused.
 */
function sort(lengths: usize, symbols: u32): i32 {
  v128.store(counts, i8x16.splat(0));
  v128.store(counts, i8x16.splat(0), 16);
  for (let s: u32 = 0; s < symbols; s++) {
    const count = counts + 2 * <usize>load<u8>(lengths + s);
    store<u16>(count, load<u16>(count) + 1);
  }
  let left: i32 = 1;
  let longest: i32 = 0;
  let total: u32 = 0;
  for (let length: i32 = 1; length <= <i32>maxBits; length++) {
    const count: u32 = load<u16>(counts + 2 * length);
    left = (left << 1) - <i32>count;
    if (left < 0) return -1;
    if (count > 0) longest = length;
    store<u16>(counts + 2 * length, <u16>total);
    total += count;
  }
  if (left > 0 && longest > 1) return -1;
  for (let s: u32 = 0; s < symbols; s++) {
    const length = <usize>load<u8>(lengths + s);
    if (length == 0) continue;
    const place = counts + 2 * length;
    const index: u32 = load<u16>(place);
    store<u16>(place, <u16>(index + 1));
    store<u16>(sorted + 2 * index, <u16>s);
  }
  return longest;
}

/** Makes a table of the single symbol in `sorted`, or of none. */
function makeIncomplete(table: usize, bits: u32, meanings: usize): void {
  const hasOne = load<u16>(counts + 2) == 1;
  const only = hasOne ? load<u32>(meanings + 4 * <usize>load<u16>(sorted)) + (1 | (1 << 8)) : 0;
  for (let place: u32 = 0; place < <u32>1 << bits; place++)
    store<u32>(table + 4 * place, hasOne && (place & 1) == 0 ? only : isSpecial | isNone);
}

/**
 * Copies the first half of the first `2 * bytes` bytes of a table to the second; a few bytes after
 * them are overwritten.
 */
// @ts-ignore: decorator
@inline
function double(table: usize, bytes: usize): void {
  for (let k: usize = 0; k < bytes; k += 16) v128.store(table + bytes + k, v128.load(table + k));
}

/** Adds the codes that exceed the index bits, starting with a symbol and its code. */
function makeLonger(table: usize, bits: u32, meanings: usize, index: u32, code: u32): void {
  const rest = maxBits - bits;
  const mask = (<u32>1 << bits) - 1;
  let free: u32 = 1 << bits;
  let first: u32 = 0;
  let prefix: u32 = -1;
  for (let length = bits + 1; length <= maxBits; length++) {
    const behind = length - bits;
    const added = behind | (behind << 8);
    for (const end: u32 = load<u16>(counts + 2 * length); index < end; index++) {
      if ((code & mask) != prefix) {
        prefix = code & mask;
        first = free;
        free += <u32>1 << rest;
        store<u32>(table + 4 * prefix, isSpecial | isLonger | bits | (first << 16));
      }
      const entry = load<u32>(meanings + 4 * <usize>load<u16>(sorted + 2 * index)) + added;
      for (let place = code >> bits; place < <u32>1 << rest; place += <u32>1 << behind)
        store<u32>(table + 4 * (first + place), entry);
      code = next(code, length);
    }
  }
}

/** The next code of that length, its first bit lowest; 0 after the last. */
// @ts-ignore: decorator
@inline
function next(code: u32, length: u32): u32 {
  const zeros = code ^ ((<u32>1 << length) - 1);
  if (zeros == 0) return 0;
  const highest: u32 = (<u32>1 << 31) >> clz(zeros);
  return (code & (highest - 1)) | highest;
}

/**
 * Adds their extra bits to the lengths in the table that have room for them, and marks the others.
 */
function addExtraBits(symbols: u32): void {
  for (let symbol = firstExtra; symbol < min<u32>(symbols, lastLength); symbol++) {
    const length: u32 = load<u8>(codeLengths + symbol);
    if (length == 0 || length > literalBits) continue;
    const extra = extraOfLength(symbol);
    const hasRoom = length + extra <= literalBits;
    let more: u32 = 0;
    for (let place: u32 = load<u16>(codes + 2 * symbol); place < <u32>1 << literalBits; place += <u32>1 << length) {
      const entry = literalTable + 4 * place;
      store<u32>(entry, hasRoom ? load<u32>(entry) + (more << 16) : load<u32>(entry) | isSpecial);
      more = (more + 1) & ((<u32>1 << extra) - 1);
    }
  }
}
