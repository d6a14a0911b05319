// Sequences of a block (RFC 8878, 3.1.1.3.2 and 3.1.1.4): literals, each run followed by a match.

import { repeat } from "../copying";
import {
  accuracyOf,
  literalLengths,
  literalLengthTable,
  matchLengths,
  matchLengthTable,
  offsets,
  offsetTable,
  readTable,
} from "./codes";
import { log2 } from "./distributions";
import { literalsAt, literalsEnd, readLiterals } from "./literals";

/** The offsets of the last three sequences (3.1.1.5). */
let last1: u32 = 1;
let last2: u32 = 4;
let last3: u32 = 8;

/** Resets the offsets to those at the start of a frame. */
export function forgetOffsets(): void {
  last1 = 1;
  last2 = 4;
  last3 = 8;
}

/**
 * Decompresses a block from `at` (inclusive) to `end` (exclusive). Output continues at `out`,
 * started at `start` and ends before `last`; up to 32 bytes after that may be overwritten. Returns
 * where output continues, or 0 if the block is corrupt or has no room.
 */
export function undoBlock(at: usize, end: usize, start: usize, out: usize, last: usize): usize {
  at = readLiterals(at, end);
  if (at == 0 || at >= end) return 0;
  let count: u32 = load<u8>(at++);
  if (count == 255) {
    count = 0x7f00 + <u32>load<u16>(at);
    at += 2;
  } else if (count > 127) count = ((count - 128) << 8) + <u32>load<u8>(at++);
  let literals = literalsAt;
  if (count > 0) {
    if (at >= end) return 0;
    const modes: u32 = load<u8>(at++);
    if ((modes & 3) != 0) return 0;
    at = readTable(literalLengths, modes >> 6, at, end);
    if (at != 0) at = readTable(offsets, (modes >> 4) & 3, at, end);
    if (at != 0) at = readTable(matchLengths, (modes >> 2) & 3, at, end);
    if (at == 0 || at >= end) return 0;
    out = undoSequences(at, end, count, start, out, last);
    if (out == 0) return 0;
    literals = unusedLiterals;
  } else if (at != end) return 0;
  const rest = literalsEnd - literals;
  if (rest > last - out) return 0;
  memory.copy(out, literals, rest);
  return out + rest;
}

/** The start of the literals that no sequence has used. */
let unusedLiterals: usize = 0;

/**
 * Executes `count` (at least 1) sequences, whose bits are those from `from` (inclusive) to `end`
 * (exclusive), read from the end.
 */
function undoSequences(from: usize, end: usize, count: u32, start: usize, out: usize, last: usize): usize {
  const mark: u32 = load<u8>(end - 1);
  if (mark == 0) return 0;
  // Eight bytes at a time; `used` of their bits were read, from the highest. To read the next ones,
  // they are rotated to the low end and masked. A little before the start may be read.
  let at = end - 8;
  let used: u32 = 8 - log2(mark);
  let bits = load<u64>(at);
  const lowest = from - 16;
  let accuracy = accuracyOf(literalLengths);
  used += accuracy;
  let literalState = <usize>lowBits(rotl<u64>(bits, used), accuracy) << 4;
  accuracy = accuracyOf(offsets);
  used += accuracy;
  let offsetState = <usize>lowBits(rotl<u64>(bits, used), accuracy) << 4;
  accuracy = accuracyOf(matchLengths);
  used += accuracy;
  let matchState = <usize>lowBits(rotl<u64>(bits, used), accuracy) << 4;
  at -= <usize>(used >> 3);
  used &= 7;
  let literals = literalsAt;
  for (;;) {
    if (at < lowest) return 0;
    bits = load<u64>(at);
    // For each state the extra bits, those of the next state, and their sum, one byte each, which
    // do not overflow.
    const forLiterals = load<u32>(literalState, literalLengthTable);
    const forOffset = load<u32>(offsetState, offsetTable);
    const forMatch = load<u32>(matchState, matchLengthTable);
    const sum = forLiterals + forOffset + forMatch;
    let offset = load<u32>(offsetState, offsetTable + 4);
    let matchLength: usize = load<u32>(matchState, matchLengthTable + 4);
    let literalLength: usize = load<u32>(literalState, literalLengthTable + 4);
    const isLast = --count == 0;
    const needed = used + (isLast ? sum & 255 : sum >> 16);
    if (needed <= 64) {
      // Only the lowest six bits of a rotation count.
      offset += <u32>rotl<u64>(bits, used + forOffset) & load<u32>(offsetState, offsetTable + 8);
      matchLength += <u32>rotl<u64>(bits, used + forOffset + forMatch) & load<u32>(matchState, matchLengthTable + 8);
      literalLength += <u32>rotl<u64>(bits, used + sum) & load<u32>(literalState, literalLengthTable + 8);
      // Sixteen times the bits, since a state has that many bytes.
      let turn = used + sum + (forLiterals >> 8) + 4;
      const toLiterals = <u32>rotl<u64>(bits, turn) & load<u16>(literalState, literalLengthTable + 14);
      turn += forMatch >> 8;
      const toMatch = <u32>rotl<u64>(bits, turn) & load<u16>(matchState, matchLengthTable + 14);
      turn += forOffset >> 8;
      const toOffset = <u32>rotl<u64>(bits, turn) & load<u16>(offsetState, offsetTable + 14);
      literalState = load<u16>(literalState, literalLengthTable + 12) + toLiterals;
      matchState = load<u16>(matchState, matchLengthTable + 12) + toMatch;
      offsetState = load<u16>(offsetState, offsetTable + 12) + toOffset;
    } else {
      let place = used + (forOffset & 255);
      offset += peek(at, place, forOffset & 255);
      place += forMatch & 255;
      matchLength += peek(at, place, forMatch & 255);
      place += forLiterals & 255;
      literalLength += peek(at, place, forLiterals & 255);
      place += (forLiterals >> 8) & 255;
      const toLiterals = peek(at, place, (forLiterals >> 8) & 255) << 4;
      place += (forMatch >> 8) & 255;
      const toMatch = peek(at, place, (forMatch >> 8) & 255) << 4;
      place += (forOffset >> 8) & 255;
      const toOffset = peek(at, place, (forOffset >> 8) & 255) << 4;
      literalState = load<u16>(literalState, literalLengthTable + 12) + toLiterals;
      matchState = load<u16>(matchState, matchLengthTable + 12) + toMatch;
      offsetState = load<u16>(offsetState, offsetTable + 12) + toOffset;
    }
    at -= <usize>(needed >> 3);
    used = needed & 7;
    if (offset > 3) {
      offset -= 3;
      last3 = last2;
      last2 = last1;
      last1 = offset;
    } else {
      const which = literalLength == 0 ? offset : offset - 1;
      if (which == 0) offset = last1;
      else {
        offset = which == 1 ? last2 : which == 2 ? last3 : last1 - 1;
        if (offset == 0) return 0;
        if (which != 1) last3 = last2;
        last2 = last1;
        last1 = offset;
      }
    }
    if (literalLength > literalsEnd - literals || literalLength + matchLength > last - out) return 0;
    v128.store(out, v128.load(literals));
    for (let k: usize = 16; k < literalLength; k += 16) v128.store(out + k, v128.load(literals + k));
    literals += literalLength;
    out += literalLength;
    if (<usize>offset > out - start) return 0;
    repeat(out, offset, matchLength);
    out += matchLength;
    if (isLast) break;
  }
  unusedLiterals = literals;
  // Exactly all bits must be read.
  return at + 8 == from && used == 0 ? out : 0;
}

// @ts-ignore: decorator
@inline
function lowBits(value: u64, count: u32): u32 {
  return <u32>value & ((<u32>1 << count) - 1);
}

/** `count` bits that end with bit `place` of the eight bytes at `at`, counting downwards. */
function peek(at: usize, place: u32, count: u32): u32 {
  const first = place - count;
  return lowBits(rotl<u64>(load<u64>(at - <usize>(first >> 3)), (first & 7) + count), count);
}
