// LZMA2: a sequence of LZMA and uncompressed chunks.

import { decodeChunk, resetState, setProperties } from "./chunk";
import { at as readTo, bytesAtStart, isUsedUp, startRanges } from "./ranges";

/** The control byte of a chunk: end of data, uncompressed, and resets of the dictionary. */
const endOfData: u32 = 0;
const plainFromStart: u32 = 1;
const plain: u32 = 2;
const firstCoded: u32 = 0x80;
const codedFromStart: u32 = 0xe0;

let at: usize = 0;
let out: usize = 0;
/** The start of the dictionary; 0 until a chunk resets it. */
let start: usize = 0;
/** Since then, whether LZMA's properties were set and its state was initialized. */
let hasProperties: bool = false;
let hasState: bool = false;
let isEnded: bool = false;
/** Whether a chunk was truncated because the output is full. */
let isCut: bool = false;

/** The end of the last data; 0 if the output was too small. */
export function endOfLzma2(): usize {
  return isEnded ? at : 0;
}

/**
 * Decompresses LZMA2 from `from` (inclusive) to `end` (exclusive) into at most `maxBytes` bytes at
 * `to`; there may be more. Up to 32 bytes after `end` may be read. Returns the number of bytes, or
 * -1 if the data is corrupt; `endOfLzma2` returns where it ended.
 */
export function unlzma2(from: usize, end: usize, to: usize, maxBytes: usize): i32 {
  const last = to + maxBytes;
  at = from;
  out = to;
  start = 0;
  isEnded = false;
  isCut = false;
  while (at < end && !isCut) {
    const control: u32 = load<u8>(at++);
    if (control == endOfData) {
      isEnded = true;
      break;
    }
    if (out == last) break;
    if (!undoChunk(control, end, last)) return -1;
  }
  return isEnded || out == last ? <i32>(out - to) : -1;
}

/** Decompresses a chunk, as far as there is room; returns false if it is corrupt. */
function undoChunk(control: u32, end: usize, last: usize): bool {
  if (end - at < 2) return false;
  if (control == plainFromStart || control >= codedFromStart) {
    start = out;
    hasProperties = false;
    hasState = false;
  }
  if (start == 0) return false;
  const size = <usize>bswap<u16>(load<u16>(at)) + 1;
  at += 2;
  if (control >= firstCoded) return undoCoded(control, ((<usize>control & 31) << 16) + size, end, last);
  if (control > plain || size > end - at) return false;
  const wanted = min<usize>(size, last - out);
  isCut = wanted < size;
  memory.copy(out, at, wanted);
  at += size;
  out += wanted;
  return true;
}

function undoCoded(control: u32, size: usize, end: usize, last: usize): bool {
  const packed = <usize>bswap<u16>(load<u16>(at)) + 1;
  at += 2;
  // What is reset: nothing, the state, also the properties, also the dictionary.
  const anew = (control >> 5) & 3;
  if (anew >= 2) hasProperties = setProperties(load<u8>(at++));
  if (!hasProperties) return false;
  if (anew >= 1) {
    resetState();
    hasState = true;
  }
  if (!hasState || packed < bytesAtStart || at > end || packed > end - at) return false;
  const stop = at + packed;
  if (!startRanges(at) || !decodeChunk(out, size, last, start, stop)) return false;
  at = stop;
  isCut = size > last - out;
  out += min<usize>(size, last - out);
  return isCut || (readTo == stop && isUsedUp());
}
