// Literals of a block (RFC 8878, 3.1.1.3.1).

import { decodeFourStreams, decodeStream, readCode } from "./huffman";

/** The maximum bytes, and literals, of a block. */
export const maxOfBlock: usize = 131_072;
const literals: usize = memory.data(131_072 + 64, 64);

const raw: u32 = 0;
const repeated: u32 = 1;
const coded: u32 = 2;

/** The block's literals, which may be in the input, and their end. */
export let literalsAt: usize = 0;
export let literalsEnd: usize = 0;

let hasCode: bool = false;

/** Discards the code of literals: each frame has its own. */
export function forgetCode(): void {
  hasCode = false;
}

/** Reads the literals of a block; returns where its sequences begin, or 0 if they are corrupt. */
export function readLiterals(at: usize, end: usize): usize {
  if (at >= end) return 0;
  const head = load<u64>(at);
  const kind = <u32>head & 3;
  return kind == raw || kind == repeated ? plainLiterals(at, end, head) : codedLiterals(at, end, head);
}

function plainLiterals(at: usize, end: usize, head: u64): usize {
  const form = <u32>(head >> 2) & 3;
  const size = <usize>(form == 1 ? (head >> 4) & 0xfff : form == 3 ? (head >> 4) & 0xfffff : (head >> 3) & 31);
  at += form == 1 ? 2 : form == 3 ? 3 : 1;
  const isRaw = (<u32>head & 3) == raw;
  const bytes = isRaw ? size : 1;
  if (size > maxOfBlock || at > end || bytes > end - at) return 0;
  literalsAt = isRaw ? at : literals;
  literalsEnd = literalsAt + size;
  if (!isRaw) memory.fill(literals, load<u8>(at), size);
  return at + bytes;
}

function codedLiterals(at: usize, end: usize, head: u64): usize {
  const form = <u32>(head >> 2) & 3;
  // The width of both sizes in bits.
  const width: u64 = form < 2 ? 10 : form == 2 ? 14 : 18;
  const mask = (<u64>1 << width) - 1;
  const size = <usize>((head >> 4) & mask);
  const packed = <usize>((head >> (4 + width)) & mask);
  at += form < 2 ? 3 : form == 2 ? 4 : 5;
  if (at > end || packed > end - at || size == 0 || size > maxOfBlock) return 0;
  const stop = at + packed;
  if ((<u32>head & 3) == coded) {
    at = readCode(at, stop);
    hasCode = at != 0;
  }
  if (!hasCode) return 0;
  literalsAt = literals;
  literalsEnd = literals + size;
  const isWhole = form == 0 ? decodeStream(at, stop, literals, size) : decodeFourStreams(at, stop, literals, size);
  return isWhole ? stop : 0;
}
