// Frames of Zstandard (RFC 8878, 3.1).

import { prepareCopying } from "../copying";
import { forgetTables, prepareCodes } from "./codes";
import { forgetCode, maxOfBlock } from "./literals";
import { forgetOffsets, undoBlock } from "./sequences";
import { hash } from "./xxhash";

const magic: u32 = 0xfd2fb528;
/** The magic number of skippable frames, without its last four bits. */
const magicOfSkipped: u32 = 0x184d2a50;
/** Zstandard's own limit on 64-bit systems, as a power of two. */
const maxWindowLog: u32 = 31;

const rawBlock: u32 = 0;
const repeatedByte: u32 = 1;
const compressedBlock: u32 = 2;

let isPrepared: bool = false;
/** The start of the next frame. */
let nextFrame: usize = 0;

/**
 * Decompresses all frames from `from` (inclusive) to `end` (exclusive) into at most `maxBytes`
 * bytes at `to`. Up to 32 bytes after `end` may be read, and as many after `to + maxBytes`
 * overwritten; at most 64 bytes before `from` are read. Returns the number of bytes, or -1 if a
 * frame is corrupt or needs a dictionary, or there are more.
 */
export function unzstd(from: usize, end: usize, to: usize, maxBytes: usize): i32 {
  if (!isPrepared) {
    prepareCopying();
    prepareCodes();
    isPrepared = true;
  }
  if (from >= end) return -1;
  const last = to + maxBytes;
  let out = to;
  nextFrame = from;
  while (nextFrame < end) {
    if (end - nextFrame < 5) return -1;
    const kind = load<u32>(nextFrame);
    if ((kind & 0xfffffff0) == magicOfSkipped) {
      if (end - nextFrame < 8) return -1;
      const size = <usize>load<u32>(nextFrame, 4);
      if (size > end - nextFrame - 8) return -1;
      nextFrame += 8 + size;
      continue;
    }
    if (kind != magic) return -1;
    out = undoFrame(nextFrame + 4, end, out, last);
    if (out == 0) return -1;
  }
  return <i32>(out - to);
}

/** Decompresses a frame, including its header; returns where output continues, or 0. */
function undoFrame(at: usize, end: usize, start: usize, last: usize): usize {
  const head: u32 = load<u8>(at++);
  const isSingle = (head & 0x20) != 0;
  const hasSum = (head & 4) != 0;
  if ((head & 8) != 0) return 0;
  let window: u64 = 0;
  if (!isSingle) {
    const described: u32 = load<u8>(at++);
    const log = (described >> 3) + 10;
    if (log > maxWindowLog) return 0;
    window = ((<u64>1 << log) >> 3) * (8 + (described & 7));
  }
  // The identifier of a dictionary: absent, or 0 for none.
  const identifier = head & 3;
  const identifierBytes: usize = identifier == 3 ? 4 : identifier;
  if (identifierBytes > 0 && (load<u32>(at) << (32 - 8 * <u32>identifierBytes)) != 0) return 0;
  at += identifierBytes;
  const form = head >> 6;
  const isSized = form > 0 || isSingle;
  const sizeBytes: usize = form > 0 ? 1 << form : isSingle ? 1 : 0;
  const size = sizeOf(load<u64>(at), form);
  at += sizeBytes;
  if (at > end || (isSized && size > <u64>(last - start))) return 0;
  const maxBytes = <usize>min<u64>(isSingle ? size : window, maxOfBlock);
  forgetCode();
  forgetTables();
  forgetOffsets();
  const out = undoBlocks(at, end, start, last, maxBytes);
  if (out == 0 || (isSized && size != <u64>(out - start))) return 0;
  if (!hasSum) return out;
  if (end - nextFrame < 4 || <u32>hash(start, out - start) != load<u32>(nextFrame)) return 0;
  nextFrame += 4;
  return out;
}

function sizeOf(field: u64, form: u32): u64 {
  if (form == 0) return field & 0xff;
  if (form == 1) return (field & 0xffff) + 256;
  return form == 2 ? field & 0xffffffff : field;
}

/**
 * Decompresses the blocks of a frame, of up to `maxBytes` bytes each, and sets `nextFrame` after
 * them.
 */
function undoBlocks(at: usize, end: usize, start: usize, last: usize, maxBytes: usize): usize {
  let out = start;
  let isLast = false;
  while (!isLast) {
    if (at > end || end - at < 3) return 0;
    const head = load<u32>(at) & 0xffffff;
    at += 3;
    isLast = (head & 1) != 0;
    const kind = (head >> 1) & 3;
    const size = <usize>(head >> 3);
    const bytes: usize = kind == repeatedByte ? 1 : size;
    if (size > maxBytes || bytes > end - at) return 0;
    if (kind == compressedBlock) {
      out = undoBlock(at, at + size, start, out, min<usize>(last, out + maxBytes));
      if (out == 0) return 0;
    } else if (kind == rawBlock || kind == repeatedByte) {
      if (size > last - out) return 0;
      if (kind == rawBlock) memory.copy(out, at, size);
      else memory.fill(out, load<u8>(at), size);
      out += size;
    } else return 0;
    at += bytes;
  }
  nextFrame = at;
  return out;
}
