/** Bits that index the parts of a table. */
export const skipBits: u32 = 12;
export const valueBits: u32 = 10;
export const codeBits: u32 = 12;

/** Offsets in a table. */
export const skips: usize = 0;
export const values: usize = skips + (2 << skipBits);
export const codes: usize = values + (4 << valueBits);
const limits: usize = codes + (2 << codeBits);
const offsets: usize = limits + 4 * 18;
const symbols: usize = offsets + 4 * 18;

/** The size of a table in bytes. */
export function tableBytes(): usize {
  return symbols + 256;
}

const longest: u32 = 16;
/** A run of sixteen zeros (ITU-T T.81, F.1.2.2.1). */
const sixteenZeros: u32 = 0xf0;
/** Set in entries that end a block. */
export const endsBlock: u32 = 1 << 15;
/** The most bits that an entry may use. */
const maxUsed: u32 = 31;

/**
 * Makes a table at `table` of a definition (ITU-T T.81, B.2.4.2) at `from`: the number of codes of
 * each length, then the symbols. Returns whether it is valid. It has three parts, each
 * indexed by the next bits of the data:
 *
 * - `codes` (16-bit): of one code, its length in bits 0 to 4, the bits of the value behind it in 5
 *   to 8, how many coefficients it takes in 9 to 14, and `endsBlock`; 0 for a longer one;
 * - `values` (32-bit): the same for code and value together, with the number of bits in 0 to 7, the
 *   coefficients in 8 to 14, and the value in 16 to 31; 0 where they are longer;
 * - `skips` (16-bit), not for DC: as many codes with their values as begin within these bits: their
 *   bits in 0 to 4, their coefficients in 5 to 10, and `endsBlock`; 0 where not even one does.
 */
export function addTable(table: usize, from: usize, isDc: bool): bool {
  memory.fill(table, 0, tableBytes());
  let code: u32 = 0;
  let place: u32 = 0;
  for (let length: u32 = 1; length <= longest; length++) {
    const number = <u32>load<u8>(from + length - 1);
    store<i32>(table + offsets + 4 * length, <i32>place - <i32>code);
    if (code + number > <u32>1 << length || place + number > 256) return false;
    for (let n: u32 = 0; n < number; n++) {
      const symbol = <u32>load<u8>(from + 16 + place);
      if (isDc && symbol > 11) return false;
      store<u8>(table + symbols + place, <u8>symbol);
      addCode(table, code, length, symbol);
      code++;
      place++;
    }
    store<u32>(table + limits + 4 * length, code << (longest - length));
    code <<= 1;
  }
  store<u32>(table + limits + 4 * (longest + 1), u32.MAX_VALUE);
  if (!isDc) addSkips(table);
  return true;
}

function addCode(table: usize, code: u32, length: u32, symbol: u32): void {
  const entry = entryOf(symbol, length);
  if (length <= codeBits) {
    const first = code << (codeBits - length);
    for (let n: u32 = 0; n < <u32>1 << (codeBits - length); n++)
      store<u16>(table + codes + 2 * (first + n), <u16>entry);
  }
  const size = symbol & 15;
  if (length + size > valueBits) return;
  const first = code << (valueBits - length);
  const taken = (entry >> 9) & 63;
  for (let n: u32 = 0; n < <u32>1 << (valueBits - length); n++) {
    const value = <u32>valueOf(n >> (valueBits - length - size), size);
    const whole = (value << 16) | (entry & endsBlock) | (taken << 8) | (length + size);
    store<u32>(table + values + 4 * (first + n), whole);
  }
}

function addSkips(table: usize): void {
  const mask = (<u32>1 << skipBits) - 1;
  for (let bits: u32 = 0; bits <= mask; bits++) {
    let used: u32 = 0;
    let taken: u32 = 0;
    let ends: u32 = 0;
    while (used < skipBits) {
      const entry = <u32>load<u16>(table + codes + 2 * ((bits << used) & mask));
      const length = entry & 31;
      // The bits behind are not known here: a code that needs more of them may be another.
      if (entry === 0 || used + length > skipBits) break;
      const all = used + length + ((entry >> 5) & 15);
      const sum = taken + ((entry >> 9) & 63);
      if (all > maxUsed || sum > 63) break;
      used = all;
      taken = sum;
      ends = entry & endsBlock;
      if (ends !== 0) break;
    }
    store<u16>(table + skips + 2 * bits, <u16>(used | (taken << 5) | ends));
  }
}

/** A value of `size` bits (ITU-T T.81, F.1.2.1, table F.1). */
// @ts-ignore: decorator
@inline
export function valueOf(bits: u32, size: u32): i32 {
  if (size === 0) return 0;
  const value = <i32>(bits & ((<u32>1 << size) - 1));
  return value < 1 << (size - 1) ? value + (-1 << size) + 1 : value;
}

/** As an entry of `codes`: the code of up to 16 bits that 64 bits begin with; 0 where there is none. */
export function longCode(table: usize, bits: u64): u32 {
  const next = <u32>(bits >> 48);
  let length: u32 = 1;
  while (next >= load<u32>(table + limits + 4 * length)) length++;
  if (length > longest) return 0;
  const place = <i32>(next >> (longest - length)) + load<i32>(table + offsets + 4 * length);
  return entryOf(load<u8>(table + symbols + place), length);
}

/** The code of a symbol in bits 0 to 15, and its length above; 0 where the table has none. */
export function codeFor(table: usize, symbol: u32): u32 {
  for (let length: u32 = 1; length <= longest; length++) {
    const end = load<u32>(table + limits + 4 * length) >> (longest - length);
    const offset = load<i32>(table + offsets + 4 * length);
    let code = load<u32>(table + limits + 4 * (length - 1)) >> (longest - length);
    for (; code < end; code++)
      if (load<u8>(table + symbols + <usize>(<i32>code + offset)) === symbol)
        return code | (length << 16);
  }
  return 0;
}

/** An entry of `codes`. */
function entryOf(symbol: u32, length: u32): u32 {
  const size = symbol & 15;
  const isEnd = size === 0 && symbol !== sixteenZeros;
  return length | (size << 5) | (isEnd ? endsBlock : ((symbol >> 4) + 1) << 9);
}
