import { repeat } from "../copying";
import { at as startOfBits, bitsUsed, startAt } from "./bits";
import {
  distanceBits,
  distanceTable,
  isLiteral,
  isLonger,
  isNone,
  isSpecial,
  literalBits,
  literalTable,
  maxBits,
  scale,
} from "./codes";

const literalMask: usize = ((1 << literalBits) - 1) << scale;
const distanceMask: usize = ((1 << distanceBits) - 1) << scale;
const longerLiteralMask: usize = ((1 << (maxBits - literalBits)) - 1) << scale;
const longerDistanceMask: usize = ((1 << (maxBits - distanceBits)) - 1) << scale;

/**
 * Inflates the rest of a block after its codes (RFC 1951, 3.2.3), starting at the position of
 * `bits`, which is then after it. Output continues at `out`, started at `start` and ends before
 * `last`; up to 288 bytes after that may be overwritten. Input ends before `end`; up to 48 bytes
 * after that may be read. Returns where output continues, or 0 if the block is corrupt or has no
 * room.
 */
export function inflateBlock(end: usize, start: usize, out: usize, last: usize): usize {
  // `held` has the next bits, from bit `scale` on; the lowest six bits of `count` are their number.
  // An entry's lowest six bits are the bits it consumes, so that it can be shifted by and
  // subtracted as a whole. Eight bytes are read at a time, and those that fit completely are
  // counted, which makes 56 to 63 bits.
  let at = startOfBits;
  let held = load<u64>(at) << (<u64>scale);
  let count: u64 = 56 + scale;
  at += 7;
  held >>= <u64>bitsUsed();
  count -= <u64>bitsUsed();
  held |= load<u64>(at) << count;
  at += <usize>(((count & 63) ^ 63) >> 3);
  count |= 56;
  // Bits past the end may be held, but not used.
  const over = end + 8;
  let entry: u64 = load<u32>(<usize>held & literalMask, literalTable);
  for (;;) {
    if (at > over || out > last) return 0;
    if (entry & isLiteral) {
      store<u8>(out++, <u8>(entry >> 16));
      held >>= entry;
      count -= entry;
      entry = load<u32>(<usize>held & literalMask, literalTable);
      if (entry & isLiteral) {
        store<u8>(out++, <u8>(entry >> 16));
        held >>= entry;
        count -= entry;
        entry = load<u32>(<usize>held & literalMask, literalTable);
        if (entry & isLiteral) {
          store<u8>(out++, <u8>(entry >> 16));
          held >>= entry;
          count -= entry;
          entry = load<u32>(<usize>held & literalMask, literalTable);
          held |= load<u64>(at) << count;
          at += <usize>(((count & 63) ^ 63) >> 3);
          count |= 56;
          continue;
        }
      }
      held |= load<u64>(at) << count;
      at += <usize>(((count & 63) ^ 63) >> 3);
      count |= 56;
    }
    let length = <usize>(entry >> 16);
    if (entry & isSpecial) {
      if (entry & isNone) return 0;
      if (entry & isLonger) {
        held >>= <u64>literalBits;
        count -= literalBits;
        entry = load<u32>((length << scale) + (<usize>held & longerLiteralMask), literalTable);
        if (entry & isLiteral) {
          store<u8>(out++, <u8>(entry >> 16));
          held >>= entry;
          count -= entry;
          held |= load<u64>(at) << count;
          at += <usize>(((count & 63) ^ 63) >> 3);
          count |= 56;
          entry = load<u32>(<usize>held & literalMask, literalTable);
          continue;
        }
        if (entry & isNone) return 0;
        length = <usize>(entry >> 16);
      }
      if (length == 0) {
        held >>= entry;
        count -= entry;
        break;
      }
      length += extraBits(held, entry);
      held >>= entry;
      count -= entry;
      held |= load<u64>(at) << count;
      at += <usize>(((count & 63) ^ 63) >> 3);
      count |= 56;
    } else {
      held >>= entry;
      count -= entry;
    }
    entry = load<u32>(<usize>held & distanceMask, distanceTable);
    if (entry & isSpecial) {
      if (entry & isNone) return 0;
      held >>= <u64>distanceBits;
      count -= distanceBits;
      entry = load<u32>(((<usize>entry >> 16) << scale) + (<usize>held & longerDistanceMask), distanceTable);
      if (entry & isNone) return 0;
    }
    const distance = <usize>(entry >> 16) + extraBits(held, entry);
    held >>= entry;
    count -= entry;
    // Of at least 54 bits, the length used up to 11 and the distance up to 28: enough are left for
    // the next entry.
    entry = load<u32>(<usize>held & literalMask, literalTable);
    held |= load<u64>(at) << count;
    at += <usize>(((count & 63) ^ 63) >> 3);
    count |= 56;
    if (distance > out - start) return 0;
    repeat(out, distance, length);
    out += length;
  }
  if (out > last) return 0;
  const unused = (count & 63) - scale;
  startAt(at - <usize>((unused + 7) >> 3), <u32>(0 - unused) & 7);
  return out;
}

/** The extra bits after an entry's code, from those held. */
// @ts-ignore: decorator
@inline
function extraBits(held: u64, entry: u64): usize {
  return <usize>((held & (((<u64>1 << scale) << entry) - 1)) >> (entry >> 8));
}
