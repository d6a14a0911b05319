const clearCode: u32 = 256;
const endCode: u32 = 257;
const firstFree: u32 = 258;
const shortest: u32 = 9;
const longest: u32 = 12;
const maxCodes: u32 = 1 << longest;

/** The address and length of each code's string; and every single byte. */
const starts: usize = memory.data(4 * (1 << 12), 16);
const lengths: usize = memory.data(2 * (1 << 12), 16);
const bytes: usize = memory.data(256 + 8, 16);

/**
 * Decompresses LZW of TIFF 6.0 section 13 (codes of 9 to 12 bits, high bit first, growing one code
 * early) from `from` (inclusive) to `end` (exclusive) into `length` bytes at `to`; 8 more bytes
 * after them are overwritten. Returns the number of bytes, or -1 for an undefined code.
 */
export function undoLzw(from: usize, end: usize, to: usize, length: usize): i32 {
  // All strings are in the output already, or among the single bytes.
  for (let code: u32 = 0; code < clearCode; code++) {
    store<u8>(bytes + code, <u8>code);
    store<u32>(starts + 4 * code, <u32>bytes + code);
    store<u16>(lengths + 2 * code, 1);
  }
  const last = to + length;
  let at = to;
  let next = firstFree;
  let width = shortest;
  let before = at;
  // Of the string written last; 0 after a clear code.
  let known: u32 = 0;
  // The next bits, highest first, and a lower bound of their number.
  let held: u64 = 0;
  let bits: u32 = 0;
  while (at < last) {
    if (bits < longest) {
      if (from + 8 <= end) {
        held |= bigEndian(from) >> (<u64>bits);
        from += (63 - bits) >> 3;
        bits |= 56;
      } else {
        while (bits <= 48 && from < end) {
          held |= (<u64>load<u8>(from)) << (<u64>(56 - bits));
          from++;
          bits += 8;
        }
        if (bits < width) break;
      }
    }
    const code = <u32>(held >> (64 - <u64>width));
    held <<= <u64>width;
    bits -= width;
    if ((code & ~1) === clearCode) {
      if (code === endCode) break;
      next = firstFree;
      width = shortest;
      known = 0;
      continue;
    }
    // A new string is the last one plus the next byte, which is the first of the current string.
    if (known > 0 && next < maxCodes) {
      store<u32>(starts + 4 * next, <u32>before);
      store<u16>(lengths + 2 * next, <u16>(known + 1));
      next++;
    }
    if (code >= next) return -1;
    const source = <usize>load<u32>(starts + 4 * code);
    const count = min(<usize>load<u16>(lengths + 2 * code), last - at);
    before = at;
    known = <u32>count;
    // Only a string that overlaps the one being written can be this near, or nearer than its
    // length.
    if (code === next - 1 && at - source < 8) copyNear(source, at, count);
    else {
      store<u64>(at, load<u64>(source));
      for (let done: usize = 8; done < count; done += 8)
        store<u64>(at + done, load<u64>(source + done));
    }
    at += count;
    if (next + 1 >= <u32>1 << width && width < longest) width++;
  }
  return <i32>(at - to);
}

function copyNear(source: usize, at: usize, count: usize): void {
  for (let done: usize = 0; done < count; done++) store<u8>(at + done, load<u8>(source + done));
}

// @ts-ignore: decorator
@inline
function bigEndian(at: usize): u64 {
  const part = v128.load64_zero(at);
  return v128.extract_lane<u64>(v128.shuffle<u8>(part, part, 7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15), 0);
}
