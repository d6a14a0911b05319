// Decodes a chunk of LZMA: literals and matches.

import { at, nextBit, nextEven, nextNumber, nextReversed } from "./ranges";

/** The number of output positions that probabilities distinguish. */
const places: u32 = 16;
const states: u32 = 12;
/** From this state on, the last symbol was a match. */
const firstRepetition: u32 = 7;

// Probabilities of lengths: whether it exceeds 9, exceeds 17; eight of each kind for each position;
// 256 more.
const lengthBytes: usize = 2 * (2 + 16 * 8 + 16 * 8 + 256);
const isMatch: usize = memory.data(2 * 12 * 16, 16);
const isRepeated: usize = memory.data(2 * 12, 16);
const isNotLast: usize = memory.data(2 * 12, 16);
const isNotSecond: usize = memory.data(2 * 12, 16);
const isNotThird: usize = memory.data(2 * 12, 16);
const isLonger: usize = memory.data(2 * 12 * 16, 16);
const matchLengths: usize = memory.data(2 * (2 + 16 * 8 + 16 * 8 + 256), 16);
const repeatedLengths: usize = memory.data(2 * (2 + 16 * 8 + 16 * 8 + 256), 16);
const slots: usize = memory.data(2 * 4 * 64, 16);
const lowDistances: usize = memory.data(2 * 128, 16);
const alignments: usize = memory.data(2 * 16, 16);
const literals: usize = memory.data(2 * 0x300 * 16, 16);
const literalProbabilities: u32 = 0x300;

/**
 * The bits of the previous byte that a literal depends on, and masks of its position for literals
 * and for all symbols.
 */
let contextBits: u32 = 0;
let literalMask: u32 = 0;
let placeMask: u32 = 0;

let state: u32 = 0;
/** The distances of the last four matches, less 1. */
let last1: u32 = 0;
let last2: u32 = 0;
let last3: u32 = 0;
let last4: u32 = 0;

/** Sets the properties from their byte; returns false if it is invalid. */
export function setProperties(byte: u32): bool {
  if (byte >= 9 * 5 * 5) return false;
  placeMask = (1 << (byte / 45)) - 1;
  const placeBits = (byte % 45) / 9;
  literalMask = (1 << placeBits) - 1;
  contextBits = byte % 9;
  // As LZMA2 requires.
  return contextBits + placeBits <= 4;
}

/** Resets the state, with the current properties. */
export function resetState(): void {
  state = 0;
  last1 = last2 = last3 = last4 = 0;
  even(isMatch, states * places);
  even(isRepeated, states);
  even(isNotLast, states);
  even(isNotSecond, states);
  even(isNotThird, states);
  even(isLonger, states * places);
  even(matchLengths, lengthBytes / 2);
  even(repeatedLengths, lengthBytes / 2);
  even(slots, 4 * 64);
  even(lowDistances, 128);
  even(alignments, 16);
  even(literals, (literalProbabilities * (literalMask + 1)) << contextBits);
}

function even(probabilities: usize, count: usize): void {
  for (let k: usize = 0; k < count; k++) store<u16>(probabilities + 2 * k, 1024);
}

/**
 * Decodes a chunk of `size` bytes to `out`, but only up to `stop`; matches must not reach before
 * `start`. Returns false if the chunk is invalid. Input ends before `end`; up to 32 bytes after
 * that may be read.
 */
export function decodeChunk(out: usize, size: usize, stop: usize, start: usize, end: usize): bool {
  const whole = out + size;
  stop = min<usize>(stop, whole);
  while (out < stop) {
    if (at > end) return false;
    const done = <u32>(out - start);
    const place = done & placeMask;
    if (nextBit(isMatch + 2 * (state * places + place)) == 0) {
      store<u8>(out, <u8>nextLiteral(out, done));
      out++;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    const length = nextBit(isRepeated + 2 * state) == 0 ? nextMatch(place) : nextRepetition(place);
    if (last1 >= done || length > <u32>(whole - out)) return false;
    const distance = <usize>last1 + 1;
    for (const behind = min<usize>(stop, out + length); out < behind; out++) store<u8>(out, load<u8>(out - distance));
  }
  return true;
}

function nextLiteral(out: usize, done: u32): u32 {
  const before: u32 = done > 0 ? load<u8>(out - 1) : 0;
  const context = ((done & literalMask) << contextBits) + (before >> (8 - contextBits));
  const probabilities = literals + 2 * literalProbabilities * context;
  let literal: u32 = 1;
  if (state < firstRepetition) {
    do literal = (literal << 1) | nextBit(probabilities + 2 * literal);
    while (literal < 256);
    return literal;
  }
  // After a match, the byte that would have continued it is the less probable, the more of its bits
  // agree.
  let expected: u32 = load<u8>(out - last1 - 1);
  let same: u32 = 256;
  do {
    expected <<= 1;
    const bit = nextBit(probabilities + 2 * (same + (expected & same) + literal));
    literal = (literal << 1) | bit;
    same &= bit ? expected : ~expected;
  } while (literal < 256);
  return literal;
}

/** The length of a match with its own distance, which becomes the last one. */
function nextMatch(place: u32): u32 {
  const length = nextLength(matchLengths, place);
  last4 = last3;
  last3 = last2;
  last2 = last1;
  last1 = nextDistance(length);
  state = state < firstRepetition ? 7 : 10;
  return length;
}

/** The length of a match at one of the last distances, which becomes the last one. */
function nextRepetition(place: u32): u32 {
  if (nextBit(isNotLast + 2 * state) == 0) {
    if (nextBit(isLonger + 2 * (state * places + place)) == 0) {
      state = state < firstRepetition ? 9 : 11;
      return 1;
    }
  } else {
    let distance = last2;
    if (nextBit(isNotSecond + 2 * state) != 0) {
      distance = last3;
      if (nextBit(isNotThird + 2 * state) != 0) {
        distance = last4;
        last4 = last3;
      }
      last3 = last2;
    }
    last2 = last1;
    last1 = distance;
  }
  state = state < firstRepetition ? 8 : 11;
  return nextLength(repeatedLengths, place);
}

function nextLength(lengths: usize, place: u32): u32 {
  const low = lengths + 4 + 16 * place;
  if (nextBit(lengths) == 0) return 2 + nextNumber(low, 3);
  if (nextBit(lengths + 2) == 0) return 10 + nextNumber(low + 2 * 16 * 8, 3);
  return 18 + nextNumber(lengths + 4 + 2 * 2 * 16 * 8, 8);
}

/** A distance, less 1. */
function nextDistance(length: u32): u32 {
  const slot = nextNumber(slots + 128 * min<u32>(length - 2, 3), 6);
  if (slot < 4) return slot;
  const bits = (slot >> 1) - 1;
  const least = (2 | (slot & 1)) << bits;
  if (slot < 14) return least + nextReversed(lowDistances + 2 * (least - slot), bits);
  return least + (nextEven(bits - 4) << 4) + nextReversed(alignments, 4);
}
