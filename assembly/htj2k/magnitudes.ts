const significantShift: u32 = 4;
const impliedShift: u32 = 8;
const knownShift: u32 = 12;
const offsetShift: u32 = 16;

/** The bits of the MagSgn code (Rec. ITU-T T.814, 7.1): read, but not yet taken. */
let at: usize = 0;
let end: usize = 0;
let last: u32 = 0;
let held: u64 = 0;
let bits: u32 = 0;

/** Whether one of the four bytes is 0xFF, behind which only seven bits are used. */
// @ts-ignore: decorator
@inline
function isStuffed(word: u32): bool {
  return ((~word - 0x01010101) & word & 0x80808080) !== 0;
}

/** Sees to it that at least 32 bits are held; what is missing behind the end are ones. */
function fill(): void {
  if (at + 4 <= end && last !== 0xff) {
    const word = load<u32>(at);
    if (!isStuffed(word)) {
      held |= (<u64>word) << (<u64>bits);
      bits += 32;
      at += 4;
      return;
    }
  }
  while (bits <= 32) {
    const byte = at < end ? <u32>load<u8>(at) : 0xff;
    held |= (<u64>byte) << (<u64>bits);
    bits += last === 0xff ? 7 : 8;
    last = byte;
    at++;
  }
}

/** Takes one sample's magnitude and sign: twice the magnitude less one, then the sign in bit 0 (7.3). */
// @ts-ignore: decorator
@inline
function take(entry: u32, bound: u32, sample: u32): u32 {
  if (bits < 32) fill();
  const count = bound - ((entry >> (knownShift + sample)) & 1);
  const value = <u32>held & ((1 << count) - 1);
  held >>= <u64>count;
  bits -= count;
  return value | (((entry >> (impliedShift + sample)) & 1) << count);
}

/** A coefficient in halves, in the middle of what it may be: (2m + 1) << plane, with its sign. */
// @ts-ignore: decorator
@inline
function coefficient(value: u32, plane: u32): i32 {
  const magnitude = <i32>(((value | 1) + 2) << plane);
  return (value & 1) !== 0 ? -magnitude : magnitude;
}

/**
 * Reads the magnitudes and signs of the samples that `readQuads` found significant from the bytes
 * from `from` to before `until`, into `width` x `height` numbers of 32 bits at `to`. `exponents` are
 * numbers of 32 bits, all 0, two more than there are quads in a row. Answers 0, or -1 where a sample
 * would have more than 30 bits.
 */
export function readMagnitudes(
  from: usize,
  until: usize,
  quads: usize,
  stride: i32,
  exponents: usize,
  plane: u32,
  width: i32,
  height: i32,
  to: usize,
): i32 {
  at = from;
  end = until;
  last = 0;
  held = 0;
  bits = 0;
  const mostBits: u32 = 30 - plane;
  const rowBytes = <usize>width << 2;
  for (let y = 0; y < height; y += 2) {
    let quad = quads + (<usize>((y >> 1) * stride + 1) << 2);
    let exponent = exponents;
    let upper = to + <usize>y * rowBytes;
    const hasLower = y + 1 < height;
    // The lower right sample of the quad before.
    let corner: u32 = 0;
    for (let x = 0; x < width; x += 2) {
      const entry = load<u32>(quad);
      const significant = (entry >> significantShift) & 15;
      // The most bits of the samples above are those of all of them together.
      const above = load<u32>(exponent) | load<u32>(exponent, 4);
      let bound = entry >> offsetShift;
      // Of several samples, one is nearly as large as what is above them (7.3).
      const expected = 31 - <i32>clz<u32>(above | 1);
      bound += (significant & (significant - 1)) !== 0 ? <u32>max<i32>(1, expected) : 1;
      if (bound > mostBits) return -1;
      let topLeft: i32 = 0;
      let topRight: i32 = 0;
      let lowLeft: i32 = 0;
      let lowRight: i32 = 0;
      let under: u32 = 0;
      let nextCorner: u32 = 0;
      if ((significant & 1) !== 0) topLeft = coefficient(take(entry, bound, 0), plane);
      if ((significant & 2) !== 0) {
        const value = take(entry, bound, 1);
        under = value | 1;
        lowLeft = coefficient(value, plane);
      }
      if ((significant & 4) !== 0) topRight = coefficient(take(entry, bound, 2), plane);
      if ((significant & 8) !== 0) {
        const value = take(entry, bound, 3);
        nextCorner = value | 1;
        lowRight = coefficient(value, plane);
      }
      store<u32>(exponent, under | corner);
      corner = nextCorner;
      store<i32>(upper, topLeft);
      if (hasLower) store<i32>(upper + rowBytes, lowLeft);
      if (x + 1 < width) {
        store<i32>(upper, topRight, 4);
        if (hasLower) store<i32>(upper + rowBytes, lowRight, 4);
      }
      upper += 8;
      quad += 4;
      exponent += 4;
    }
    store<u32>(exponent, corner);
  }
  return 0;
}
