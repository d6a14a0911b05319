// Tables of the codes that sequences are made of (RFC 8878, 3.1.1.3.2.1): lengths of literals,
// lengths of matches, and offsets. A state has sixteen bytes, so that what is added up and masked
// is read as it is needed:
//
//   0   u8   extra bits of the value
//   1   u8   bits of the next state
//   2   u8   the sum of both
//   4   u32  the value without its extra bits
//   8   u32  a mask of the extra bits
//   12  u16  where the next states lie in the table, in bytes
//   14  u16  a mask of the bits that are added to that, 16 times what they say

import { accuracy, log2, nextNumber, probabilities, readDistribution, spread, states, symbolCount } from "./distributions";

export const literalLengths: u32 = 0;
export const offsets: u32 = 1;
export const matchLengths: u32 = 2;

const stateBytes: usize = 16;
export const literalLengthTable: usize = memory.data(16 * 512, 64);
export const offsetTable: usize = memory.data(16 * 256, 64);
export const matchLengthTable: usize = memory.data(16 * 512, 64);

/** For each symbol its extra bits and its base value. */
const literalLengthMeanings: usize = memory.data(8 * 36, 16);
const offsetMeanings: usize = memory.data(8 * 32, 16);
const matchLengthMeanings: usize = memory.data(8 * 53, 16);

/**
 * The numbers of states of the three tables, as powers of two; `unknown` if this frame had none
 * yet.
 */
const accuracies: usize = memory.data(4 * 3, 16);
const unknown: u32 = 255;

// 3.1.1.3.2.2
const usualLiteralLengths: usize = memory.data<i8>([
  4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
]);
const usualOffsets: usize = memory.data<i8>([
  1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
]);
const usualMatchLengths: usize = memory.data<i8>([
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
]);

/** Fills the tables that all frames share; call once. */
export function prepareCodes(): void {
  let least: u32 = 0;
  for (let s: u32 = 0; s < 36; s++) least += mean(literalLengthMeanings, s, least, extraOfLiterals(s));
  least = 3;
  for (let s: u32 = 0; s < 53; s++) least += mean(matchLengthMeanings, s, least, extraOfMatch(s));
  for (let s: u32 = 0; s < 32; s++) mean(offsetMeanings, s, <u32>1 << s, s);
}

function mean(meanings: usize, symbol: u32, least: u32, extra: u32): u32 {
  store<u32>(meanings + 8 * symbol, extra);
  store<u32>(meanings + 8 * symbol, least, 4);
  return <u32>1 << extra;
}

function extraOfLiterals(symbol: u32): u32 {
  if (symbol < 20) return symbol < 16 ? 0 : 1;
  return symbol < 22 ? 2 : symbol < 24 ? 3 : symbol < 25 ? 4 : symbol - 19;
}

function extraOfMatch(symbol: u32): u32 {
  if (symbol < 36) return symbol < 32 ? 0 : 1;
  return symbol < 38 ? 2 : symbol < 40 ? 3 : symbol < 42 ? 4 : symbol < 43 ? 5 : symbol - 36;
}

/** Discards all tables: each frame has its own. */
export function forgetTables(): void {
  for (let table: u32 = 0; table < 3; table++) store<u32>(accuracies + 4 * table, unknown);
}

/** The number of a table's states, as a power of two. */
export function accuracyOf(table: u32): u32 {
  return load<u32>(accuracies + 4 * table);
}

/** Prepares a table as `mode` says; returns where the data continues, or 0 if it is invalid. */
export function readTable(table: u32, mode: u32, at: usize, end: usize): usize {
  if (table == literalLengths)
    return read(table, mode, at, end, literalLengthTable, literalLengthMeanings, usualLiteralLengths, 36, 36, 6, 9);
  if (table == offsets) return read(table, mode, at, end, offsetTable, offsetMeanings, usualOffsets, 32, 29, 5, 8);
  return read(table, mode, at, end, matchLengthTable, matchLengthMeanings, usualMatchLengths, 53, 53, 6, 9);
}

const usual: u32 = 0;
const single: u32 = 1;
const described: u32 = 2;

function read(
  table: u32,
  mode: u32,
  at: usize,
  end: usize,
  entries: usize,
  meanings: usize,
  usualProbabilities: usize,
  symbols: u32,
  usualSymbols: u32,
  usualAccuracy: u32,
  maxAccuracy: u32,
): usize {
  const known = accuracies + 4 * table;
  if (mode == usual) {
    for (let s: u32 = 0; s < usualSymbols; s++) store<i16>(probabilities + 2 * s, <i16>load<i8>(usualProbabilities + s));
    make(entries, meanings, usualAccuracy, usualSymbols);
    store<u32>(known, usualAccuracy);
    return at;
  }
  if (mode == single) {
    if (at >= end || <u32>load<u8>(at) >= symbols) return 0;
    put(entries, meanings + 8 * <usize>load<u8>(at), 0, 0);
    store<u32>(known, 0);
    return at + 1;
  }
  if (mode == described) {
    const bytes = readDistribution(at, end, symbols - 1, maxAccuracy);
    if (bytes == 0) return 0;
    make(entries, meanings, accuracy, symbolCount);
    store<u32>(known, accuracy);
    return at + bytes;
  }
  return load<u32>(known) == unknown ? 0 : at;
}

function make(entries: usize, meanings: usize, accuracy: u32, symbols: u32): void {
  spread(accuracy, symbols);
  const size: u32 = 1 << accuracy;
  for (let state: u32 = 0; state < size; state++) {
    const symbol: u32 = load<u8>(states + state);
    const number = nextNumber(symbol);
    const bits = accuracy - log2(number);
    put(entries + stateBytes * state, meanings + 8 * symbol, bits, (number << bits) - size);
  }
}

// @ts-ignore: decorator
@inline
function put(entry: usize, meaning: usize, bits: u32, next: u32): void {
  const extra = load<u32>(meaning);
  store<u32>(entry, extra | (bits << 8) | ((extra + bits) << 16));
  store<u32>(entry, load<u32>(meaning, 4), 4);
  store<u32>(entry, (<u32>1 << extra) - 1, 8);
  store<u16>(entry, <u16>(next << 4), 12);
  store<u16>(entry, <u16>(((<u32>1 << bits) - 1) << 4), 14);
}
