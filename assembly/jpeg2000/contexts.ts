// The context of each decision (ISO/IEC 15444-1, annex D), looked up by a coefficient's
// neighbourhood.
//
// A word of flags covers four coefficients of a stripe, one above the other. Bit 3 * r + c, for r
// from 0 to 5 and c from 0 to 2, is set if the coefficient is significant in row r - 1 of the
// stripe and one column to the left, in the same column, or to the right. So the nine bits from 3 *
// i on are the coefficient in row i and its neighbours. Bits 18, 19 + 3 * i and 31 are signs: of
// the row above the stripe, of row i, and of the row below. Bit 20 + 3 * i is set if row i was
// refined before, bit 21 + 3 * i if it was already coded in this bit plane.

export const here: u32 = 0x10;
export const around: u32 = 0x1ef;
export const refined: u32 = 1 << 20;
export const coded: u32 = 1 << 21;
export const anyCoded: u32 = (1 << 21) | (1 << 24) | (1 << 27) | (1 << 30);
export const anySignificant: u32 = 0x3ffff;

/** One bit for each row of a column, at its shift. */
export const anyRow: u32 = 0x249;

/** The rows of a column that are neither significant nor coded in this bit plane. */
// @ts-ignore: decorator
@inline
export function freeRows(word: u32): u32 {
  return ~((word >> 4) | (word >> 21)) & anyRow;
}

/** The rows of a column that have significant neighbours. */
// @ts-ignore: decorator
@inline
export function rowsNearSignificant(word: u32): u32 {
  const sides = word | (word >> 2);
  const rows = sides | (word >> 1);
  return (rows | (sides >> 3) | (rows >> 6)) & anyRow;
}

/** The rows of a column that are significant and not coded in this bit plane. */
// @ts-ignore: decorator
@inline
export function rowsToRefine(word: u32): u32 {
  return (word >> 4) & ~(word >> 21) & anyRow;
}

/** For each band, indexed by nine bits as above: four times the significance context. */
export const significance: usize = memory.data(4 * 512, 16);

/**
 * Indexed by the eight bits that `signsOf` returns: four times the context, and the bit that the
 * symbol is XORed with.
 */
export const signContexts: usize = memory.data(256, 16);
export const signFlips: usize = memory.data(256, 16);

/** Fills the tables; call once. */
export function prepareContexts(): void {
  for (let bits: u32 = 0; bits < 512; bits++) {
    const across = ((bits >> 3) & 1) + ((bits >> 5) & 1);
    const down = ((bits >> 1) & 1) + ((bits >> 7) & 1);
    const corners = (bits & 1) + ((bits >> 2) & 1) + ((bits >> 6) & 1) + ((bits >> 8) & 1);
    store<u8>(significance + bits, <u8>(smooth(across, down, corners) << 2));
    // Horizontal in one band is vertical in the other.
    store<u8>(significance + bits, <u8>(smooth(down, across, corners) << 2), 512);
    store<u8>(significance + bits, <u8>(smooth(across, down, corners) << 2), 1024);
    store<u8>(significance + bits, <u8>(diagonal(across + down, corners) << 2), 1536);
  }
  for (let bits: u32 = 0; bits < 256; bits++) {
    let across = side(bits >> 3, bits) + side(bits >> 5, bits >> 2);
    let down = side(bits >> 1, bits >> 4) + side(bits >> 7, bits >> 6);
    across = max<i32>(-1, min<i32>(1, across));
    down = max<i32>(-1, min<i32>(1, down));
    const flips = across < 0 || (across == 0 && down < 0);
    if (flips) {
      across = -across;
      down = -down;
    }
    // Table D.3: 9 without significant neighbours, 10 for vertical ones only, 11 to 13 for
    // horizontal.
    const context = across == 0 ? 9 + down : 12 + down;
    store<u8>(signContexts + bits, <u8>(context << 2));
    store<u8>(signFlips + bits, flips ? 1 : 0);
  }
}

/** 1 for a positive neighbour, -1 for a negative one, 0 for none. */
function side(significant: u32, negative: u32): i32 {
  return (significant & 1) == 0 ? 0 : (negative & 1) == 0 ? 1 : -1;
}

/** Table D.1, for the bands LL and LH. */
function smooth(across: u32, down: u32, corners: u32): u32 {
  if (across == 2) return 8;
  if (across == 1) return down > 0 ? 7 : corners > 0 ? 6 : 5;
  if (down > 0) return 2 + down;
  return min<u32>(corners, 2);
}

/** Table D.1, for the band HH. */
function diagonal(sides: u32, corners: u32): u32 {
  if (corners > 2) return 8;
  if (corners == 2) return sides > 0 ? 7 : 6;
  return corners * 3 + min<u32>(sides, 2);
}

/**
 * The inputs of the sign context of the coefficient in row `shift` / 3; the words are those of its
 * column and both neighbours.
 */
// @ts-ignore: decorator
@inline
export function signsOf(word: u32, left: u32, right: u32, shift: u32): u32 {
  const above = shift == 0 ? word >> 18 : word >> (16 + shift);
  return (
    ((word >> shift) & 0xaa) |
    ((left >> (19 + shift)) & 1) |
    (((right >> (19 + shift)) & 1) << 2) |
    ((above & 1) << 4) |
    (((word >> (22 + shift)) & 1) << 6)
  );
}
