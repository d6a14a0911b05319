// LZMA2: chunks of LZMA, or of bytes as they are, one after the other.

import { decodeChunk, resetState, setProperties } from "./chunk";
import { at as readTo, bytesAtStart, isUsedUp, startRanges } from "./ranges";

/**
 * What a chunk begins with: whether it is the last, is one of bytes as they are, and where the
 * history begins anew.
 */
const endOfData: u32 = 0;
const plainFromStart: u32 = 1;
const plain: u32 = 2;
const firstCoded: u32 = 0x80;
const codedFromStart: u32 = 0xe0;

let at: usize = 0;
let out: usize = 0;
/** What came before begins here; 0 until a chunk says that there is nothing. */
let start: usize = 0;
/** Since then, whether LZMA's properties were told, and its state has begun. */
let hasProperties: bool = false;
let hasState: bool = false;
let isEnded: bool = false;
/** Whether there was no room for all of a chunk. */
let isCut: bool = false;

/** Where the last data ended; 0 where there was no room for all of it. */
export function endOfLzma2(): usize {
  return isEnded ? at : 0;
}

/**
 * Undoes LZMA2 from `from` to before `end` into at most `most` bytes at `to`; there may be more. Up
 * to 32 bytes behind `end` may be read. Answers how many bytes there are, or -1 where the data is
 * damaged; `endOfLzma2` tells where it ended.
 */
export function unlzma2(from: usize, end: usize, to: usize, most: usize): i32 {
  const last = to + most;
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

/** Undoes a chunk, as far as there is room; false where it is damaged. */
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
  // What begins anew: nothing, the state, the properties too, and what came before.
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
