import { ahead, at, drop, take } from "./bits";
import { codeLengths } from "./codes";

/** The order in which the lengths of the code length code are stored (RFC 1951, 3.2.7). */
const order: usize = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);
const symbols: u32 = 19;
const lengthsOfLengths: usize = memory.data(32, 16);
/** Indexed by the next seven bits: the symbol times 16, and the bits of its code. */
const table: usize = memory.data(2 * 128, 16);

/** Reads the code lengths of a block to `codeLengths`; returns false if they are corrupt. */
export function readLengths(end: usize, literals: u32, distances: u32): bool {
  const count = take(4) + 4;
  v128.store(lengthsOfLengths, i8x16.splat(0));
  v128.store(lengthsOfLengths, i8x16.splat(0), 16);
  for (let k: u32 = 0; k < count; k++) store<u8>(lengthsOfLengths + load<u8>(order + k), <u8>take(3));
  if (!makeTable()) return false;
  const all = literals + distances;
  let k: u32 = 0;
  while (k < all) {
    if (at > end) return false;
    const entry = <u32>load<u16>(table + 2 * (<usize>ahead() & 127));
    drop(entry & 15);
    const symbol = entry >> 4;
    if (symbol < 16) {
      store<u8>(codeLengths + k++, <u8>symbol);
      continue;
    }
    if (symbol == 16 && k == 0) return false;
    const length = symbol == 16 ? load<u8>(codeLengths + k - 1) : 0;
    const times: u32 = symbol == 16 ? 3 + take(2) : symbol == 17 ? 3 + take(3) : 11 + take(7);
    if (times > all - k) return false;
    for (const stop = k + times; k < stop; k++) store<u8>(codeLengths + k, length);
  }
  // A block without an end-of-block code is invalid.
  return load<u8>(codeLengths + 256) != 0;
}

/** Makes the table of the code length code; returns false unless it is complete. */
function makeTable(): bool {
  let code: u32 = 0;
  let left: u32 = 128;
  // Codes count from the highest bit (3.2.2), but are read in reverse.
  for (let length: u32 = 1; length < 8; length++)
    for (let s: u32 = 0; s < symbols; s++) {
      if (<u32>load<u8>(lengthsOfLengths + s) != length) continue;
      const width: u32 = 128 >> length;
      if (width > left) return false;
      left -= width;
      const first = reversed(code);
      for (let place = first; place < 128; place += <u32>1 << length)
        store<u16>(table + 2 * place, <u16>((s << 4) | length));
      code += width;
    }
  return left == 0;
}

/** Reverses seven bits. */
function reversed(code: u32): u32 {
  let result: u32 = 0;
  for (let k: u32 = 0; k < 7; k++) result |= ((code >> k) & 1) << (6 - k);
  return result;
}
