import { at, count, fill, hasMark, held, keep, nextEight } from "./bits";
import {
  codeBits,
  codes,
  endsBlock,
  longCode,
  skipBits,
  skips,
  valueBits,
  valueOf,
  values,
} from "./huffman";

const coefficientCount: u32 = 64;
/** The most bits of a code and its value. */
const longest: u32 = 32;

/** Offsets in the description of a component, 32 bits each. */
const dcTable: usize = 0;
const acTable: usize = 4;
/** Bytes between rows of samples. */
const stride: usize = 20;
/** The last coefficient that is used, in zigzag order. */
const lastUsed: usize = 24;
/**
 * For each coefficient up to that, what it contributes to four rows of four samples, 16 bits each,
 * and behind all of them by how many bits it is shifted before it is multiplied with these.
 */
const contributions: usize = 28;
const shifts: usize = 32;
/** Rows of samples that a block becomes. */
export const down: usize = 36;
/** The last DC coefficient, and what one of them contributes to a sample. */
export const prediction: usize = 40;
const flatScale: usize = 44;

/**
 * Reads a block (ITU-T T.81, F.2.2) of the component described at `component`, and writes the samples
 * that it becomes, in 32nds around 0, to rows of four from `to` on. Coefficients that are not used
 * are skipped, several at a time. Returns false where the data is corrupt.
 */
export function readBlock(component: usize, to: usize): bool {
  // The bits are in local variables, which a function could not refill: it would keep them in memory.
  let bits = held;
  let left = count;
  let next = at;
  if (left < longest) {
    const eight = nextEight(next);
    if (hasMark(eight)) {
      fill(bits, left, next);
      bits = held;
      left = count;
      next = at;
    } else {
      bits |= eight >> <u64>left;
      next += (63 - left) >> 3;
      left |= 56;
    }
  }
  const dc = <usize>load<u32>(component + dcTable);
  let entry = load<u32>(dc + values + 4 * <usize>(bits >> (64 - <u64>valueBits)));
  let used = entry & 255;
  let difference = <i32>entry >> 16;
  if (used === 0) {
    entry = longCode(dc, bits);
    if (entry === 0) return false;
    const size = (entry >> 5) & 15;
    used = (entry & 31) + size;
    difference = size === 0 ? 0 : valueOf(<u32>(bits >> (64 - <u64>used)), size);
  }
  bits <<= <u64>used;
  left -= used;
  const flat = load<i32>(component + prediction) + difference;
  store<i32>(component + prediction, flat);
  let upper = i16x8.splat(<i16>max(min(flat * load<i32>(component + flatScale), 16_383), -16_384));
  let lower = upper;

  const ac = <usize>load<u32>(component + acTable);
  const last = load<u32>(component + lastUsed);
  const parts = <usize>load<u32>(component + contributions);
  const shift = <usize>load<u32>(component + shifts);
  let index: u32 = 1;
  while (index <= last) {
    if (left < longest) {
      const eight = nextEight(next);
      if (hasMark(eight)) {
        fill(bits, left, next);
        bits = held;
        left = count;
        next = at;
      } else {
        bits |= eight >> <u64>left;
        next += (63 - left) >> 3;
        left |= 56;
      }
    }
    entry = load<u32>(ac + values + 4 * <usize>(bits >> (64 - <u64>valueBits)));
    used = entry & 255;
    let value: i32;
    if (used !== 0) {
      bits <<= <u64>used;
      left -= used;
      if ((entry & endsBlock) !== 0) {
        index = coefficientCount;
        break;
      }
      index += (entry >> 8) & 127;
      value = <i32>entry >> 16;
    } else {
      entry = <u32>load<u16>(ac + codes + 2 * <usize>(bits >> (64 - <u64>codeBits)));
      if (entry === 0) {
        entry = longCode(ac, bits);
        if (entry === 0) return false;
      }
      const size = (entry >> 5) & 15;
      bits <<= <u64>(entry & 31);
      left -= (entry & 31) + size;
      if ((entry & endsBlock) !== 0) {
        index = coefficientCount;
        break;
      }
      index += (entry >> 9) & 63;
      value = size === 0 ? 0 : valueOf(<u32>(bits >> (64 - <u64>size)), size);
      bits <<= <u64>size;
    }
    if (index > coefficientCount) return false;
    if (index <= last + 1) {
      const scaled = i16x8.splat(<i16>(value << <i32>load<u8>(shift + index - 1)));
      const part = parts + 32 * (index - 1);
      upper = i16x8.add(upper, i16x8.q15mulr_sat_s(scaled, v128.load(part)));
      lower = i16x8.add(lower, i16x8.q15mulr_sat_s(scaled, v128.load(part, 16)));
    }
  }

  while (index < coefficientCount) {
    const eight = nextEight(next);
    if (hasMark(eight)) {
      fill(bits, left, next);
      bits = held;
      left = count;
      next = at;
    } else {
      bits |= eight >> <u64>left;
      next += (63 - left) >> 3;
      left |= 56;
    }
    entry = <u32>load<u16>(ac + skips + 2 * <usize>(bits >> (64 - <u64>skipBits)));
    used = entry & 31;
    let behind = index + ((entry >> 5) & 63);
    // Codes that would go beyond the block belong in part to the next one.
    if (used !== 0 && behind < coefficientCount) {
      bits <<= <u64>used;
      left -= used;
      index = behind;
      if ((entry & endsBlock) !== 0) break;
      // A second time from the same bits, of which at least 26 are left.
      entry = <u32>load<u16>(ac + skips + 2 * <usize>(bits >> (64 - <u64>skipBits)));
      used = entry & 31;
      behind = index + ((entry >> 5) & 63);
      if (used > left || used === 0 || behind >= coefficientCount) continue;
      bits <<= <u64>used;
      left -= used;
      index = behind;
      if ((entry & endsBlock) !== 0) break;
      continue;
    }
    entry = <u32>load<u16>(ac + codes + 2 * <usize>(bits >> (64 - <u64>codeBits)));
    if (entry === 0) {
      entry = longCode(ac, bits);
      if (entry === 0) return false;
    }
    used = (entry & 31) + ((entry >> 5) & 15);
    bits <<= <u64>used;
    left -= used;
    if ((entry & endsBlock) !== 0) break;
    index += (entry >> 9) & 63;
    if (index > coefficientCount) return false;
  }
  keep(bits, left, next);

  const step = <usize>load<u32>(component + stride);
  const rows = load<u32>(component + down);
  v128.store64_lane(to, upper, 0);
  if (rows === 1) return true;
  v128.store64_lane(to + step, upper, 1);
  if (rows === 2) return true;
  v128.store64_lane(to + 2 * step, lower, 0);
  v128.store64_lane(to + 3 * step, lower, 1);
  return true;
}
