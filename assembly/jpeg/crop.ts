import { nextEight } from "./bits";
import { codeBits, codeFor, codes, endsBlock, longCode, skipBits, skips, valueOf } from "./huffman";

/** Offsets in the description of a component: its blocks in a unit, and its tables. */
const blocks: usize = 0;
const dc: usize = 4;
const ac: usize = 8;
/** The DC coefficients of the last block that was read, and of the last that was written. */
const read: usize = 12;
const written: usize = 16;

/** The size of a description in bytes. */
const descriptionBytes: usize = 20;

/** The bits that are read, without stuffed bytes, and the position among them. */
let source: usize = 0;
let position: u32 = 0;

/** Where the next byte is written, and the bits that do not fill four bytes yet. */
let target: usize = 0;
let held: u64 = 0;
let count: u32 = 0;

/**
 * Copies the blocks of the upper left part of the scan between `from` and `end`, `kept` of `units`
 * units in each of `rows` rows, to `to`, where there is room for twice as many bytes and 16 for each
 * row. The `number` components are described at `components`. At `clean` there is room for the data
 * and 512 bytes. Returns the end of what was written; 0 where the data is corrupt, has another marker
 * than the end of the image, or needs a code that its table lacks.
 */
export function cropScan(
  components: usize,
  number: u32,
  from: usize,
  end: usize,
  clean: usize,
  to: usize,
  units: u32,
  kept: u32,
  rows: u32,
): usize {
  const bytes = unstuff(from, end, clean);
  if (bytes < 0) return 0;
  source = clean;
  position = 0;
  target = to;
  held = 0;
  count = 0;
  const bits = <u32>bytes * 8;
  const last = components + <usize>number * descriptionBytes;
  for (let row: u32 = 0; row < rows; row++) {
    let begin = position;
    let unit: u32 = 0;
    // Its first blocks follow others than before.
    if (row > 0 && kept < units) {
      for (let one = components; one < last; one += descriptionBytes) {
        copy(begin, position);
        if (!readDc(one) || !writeDc(one)) return 0;
        begin = position;
        if (!skipAc(load<u32>(one + ac)) || !skipBlocks(one, load<u32>(one + blocks) - 1)) return 0;
      }
      unit = 1;
    }
    for (; unit < kept; unit++) if (!skipUnit(components, last, bits)) return 0;
    copy(begin, position);
    for (let one = components; one < last; one += descriptionBytes)
      store<i32>(one + written, load<i32>(one + read));
    for (; unit < units; unit++) if (!skipUnit(components, last, bits)) return 0;
  }
  return position > bits ? 0 : finish();
}

/**
 * Copies the data of a scan without stuffed bytes; returns their number, or -1 where it is not
 * followed by the end of the image.
 */
function unstuff(from: usize, end: usize, to: usize): i32 {
  const begin = to;
  const marks = i8x16.splat(-1);
  while (from < end) {
    while (from + 16 <= end) {
      const part = v128.load(from);
      if (v128.any_true(i8x16.eq(part, marks))) break;
      v128.store(to, part);
      from += 16;
      to += 16;
    }
    const stop = min(from + 16, end);
    while (from < stop) {
      const byte = load<u8>(from++);
      store<u8>(to++, byte);
      if (byte !== 0xff) continue;
      const next: u32 = from < end ? load<u8>(from++) : 0;
      if (next === 0xd9) return <i32>(to - 1 - begin);
      if (next !== 0) return -1;
    }
  }
  return -1;
}

/** The next bits, at least 57 of them, as the highest. */
// @ts-ignore: decorator
@inline
function bitsAt(at: u32): u64 {
  return nextEight(source + (at >> 3)) << (at & 7);
}

function skipUnit(components: usize, last: usize, bits: u32): bool {
  for (let one = components; one < last; one += descriptionBytes)
    if (!skipBlocks(one, load<u32>(one + blocks))) return false;
  return position <= bits;
}

// @ts-ignore: decorator
@inline
function skipBlocks(component: usize, number: u32): bool {
  const table = load<u32>(component + ac);
  for (let block: u32 = 0; block < number; block++)
    if (!readDc(component) || !skipAc(table)) return false;
  return true;
}

/** The entry of the code that bits begin with; 0 where there is none. */
// @ts-ignore: decorator
@inline
function entryOf(table: usize, bits: u64): u32 {
  const entry = <u32>load<u16>(table + codes + 2 * <usize>(bits >> (64 - codeBits)));
  return entry === 0 ? longCode(table, bits) : entry;
}

/** Reads a block's first coefficient; false where there is no such code. */
// @ts-ignore: decorator
@inline
function readDc(component: usize): bool {
  const bits = bitsAt(position);
  const entry = entryOf(load<u32>(component + dc), bits);
  const length = entry & 31;
  const size = (entry >> 5) & 15;
  position += length + size;
  if (size === 0) return entry !== 0;
  const value = valueOf(<u32>((bits << length) >> (64 - size)), size);
  store<i32>(component + read, load<i32>(component + read) + value);
  return true;
}

/** Skips a block's other coefficients; false where there is no such code, or too many of them. */
// @ts-ignore: decorator
@inline
function skipAc(table: usize): bool {
  let at = position;
  let bits = bitsAt(at);
  let left: u32 = 57;
  let next: u32 = 1;
  while (next < 64) {
    if (left < 32) {
      bits = bitsAt(at);
      left = 57;
    }
    const skip = <u32>load<u16>(table + skips + 2 * <usize>(bits >> (64 - skipBits)));
    let used = skip & 31;
    const after = next + ((skip >> 5) & 63);
    // Codes behind the last coefficient are of another block.
    if (skip !== 0 && after < 64) next = (skip & endsBlock) !== 0 ? 64 : after;
    else {
      const entry = entryOf(table, bits);
      if (entry === 0) return false;
      used = (entry & 31) + ((entry >> 5) & 15);
      next = (entry & endsBlock) !== 0 ? 64 : next + ((entry >> 9) & 63);
    }
    at += used;
    bits <<= used;
    left -= used;
  }
  position = at;
  return next === 64;
}

/** Writes the difference of the last block that was read to the last that was written. */
function writeDc(component: usize): bool {
  const difference = load<i32>(component + read) - load<i32>(component + written);
  const size = 32 - clz<u32>(<u32>abs<i32>(difference));
  const code = codeFor(load<u32>(component + dc), size);
  if (code === 0) return false;
  put(code & 0xffff, code >> 16);
  put(<u64>(difference < 0 ? difference + (1 << size) - 1 : difference), size);
  return true;
}

function copy(from: u32, end: u32): void {
  for (; end - from >= 32; from += 32) put(bitsAt(from) >> 32, 32);
  if (end > from) put(bitsAt(from) >> (64 - (end - from)), end - from);
}

/** Appends up to 32 bits. */
// @ts-ignore: decorator
@inline
function put(bits: u64, number: u32): void {
  held = (held << number) | bits;
  count += number;
  if (count < 32) return;
  count -= 32;
  const word = <u32>(held >> count);
  // Whether none of its bytes is 255.
  if ((word & 0x80808080 & ((word & 0x7f7f7f7f) + 0x01010101)) === 0) {
    store<u32>(target, bswap(word));
    target += 4;
  } else for (let shift: i32 = 24; shift >= 0; shift -= 8) putByte(word >> shift);
}

function putByte(byte: u32): void {
  store<u8>(target++, <u8>byte);
  if ((byte & 255) === 255) store<u8>(target++, 0);
}

/** Fills the last byte with ones (ITU-T T.81, F.1.2.3), and ends the image. */
function finish(): usize {
  const missing = (8 - (count & 7)) & 7;
  const rest = (held << missing) | ((<u64>1 << missing) - 1);
  for (let left: i32 = count + missing - 8; left >= 0; left -= 8) putByte(<u32>(rest >> left) & 255);
  store<u16>(target, 0xd9ff);
  return target + 2;
}
