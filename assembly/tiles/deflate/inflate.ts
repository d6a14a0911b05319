import { prepareCopying } from "../copying";
import { adler } from "./adler";
import { at, startAt, take, wholeByte } from "./bits";
import { inflateBlock } from "./block";
import { makeFixedTables, makeTables, prepareCodes } from "./codes";
import { readLengths } from "./lengths";

let isPrepared: bool = false;
/** Whether the tables are those of the fixed codes. */
let isFixed: bool = false;

/**
 * Inflates a zlib stream (RFC 1950) from `from` (inclusive) to `end` (exclusive) into at most
 * `maxBytes` bytes at `to`; bytes after the stream are ignored. Up to 64 bytes after `end` may be
 * read, and up to 288 after `to + maxBytes` overwritten. Returns the number of bytes, or -1 if zlib
 * would reject the stream, or there are more.
 */
export function inflate(from: usize, end: usize, to: usize, maxBytes: usize): i32 {
  if (!isPrepared) {
    prepareCopying();
    prepareCodes();
    isPrepared = true;
  }
  if (end < from + 2) return -1;
  const head = ((<u32>load<u8>(from)) << 8) | <u32>load<u8>(from + 1);
  const isDeflate = (head & 0x0f00) == 0x0800 && head <= 0x7fff;
  const hasDictionary = (head & 0x20) != 0;
  if (!isDeflate || hasDictionary || head % 31 != 0) return -1;
  const behind = inflateBlocks(from + 2, end, to, to + maxBytes);
  if (behind == 0) return -1;
  const sum = wholeByte();
  if (sum + 4 > end) return -1;
  return adler(to, behind - to) == bswap<u32>(load<u32>(sum)) ? <i32>(behind - to) : -1;
}

/**
 * Inflates all blocks (RFC 1951); returns where output continues, or 0 if they are corrupt or have
 * no room.
 */
function inflateBlocks(from: usize, end: usize, to: usize, last: usize): usize {
  let out = to;
  isFixed = false;
  startAt(from, 0);
  let isLast = false;
  while (!isLast) {
    // The next position is before the end, or slightly past it.
    if (out == 0 || at > end) return 0;
    isLast = take(1) == 1;
    const kind = take(2);
    if (kind == 0) out = copyStored(end, out, last);
    else if (makeCodes(kind, end)) out = inflateBlock(end, to, out, last);
    else return 0;
  }
  return out;
}

/** Makes the tables for a block of a kind; returns false if its codes are invalid. */
function makeCodes(kind: u32, end: usize): bool {
  if (kind == 1) {
    if (!isFixed) makeFixedTables();
    isFixed = true;
    return true;
  }
  isFixed = false;
  if (kind == 3) return false;
  const literals = take(5) + 257;
  const distances = take(5) + 1;
  // As in zlib, although two more distances have codes.
  if (literals > 286 || distances > 30) return false;
  return readLengths(end, literals, distances) && makeTables(literals, distances);
}

/** Copies a stored block (3.2.4); returns where output continues, or 0. */
function copyStored(end: usize, out: usize, last: usize): usize {
  const from = wholeByte();
  if (from + 4 > end) return 0;
  const length = <usize>load<u16>(from);
  if ((length ^ 0xffff) != <usize>load<u16>(from, 2)) return 0;
  if (length > end - from - 4 || length > last - out) return 0;
  memory.copy(out, from + 4, length);
  startAt(from + 4 + length, 0);
  return out + length;
}
