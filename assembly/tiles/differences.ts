/**
 * Undoes the horizontal predictor (TIFF 6.0 section 14) for 8-bit samples in place: each sample is
 * stored as the difference from its left neighbour. `samples` is 1 or 3; a row has `width` pixels.
 */
export function undoDifferences(at: usize, width: i32, rows: i32, samples: i32): void {
  const end = at + <usize>rows * width * samples;
  const stride = <usize>width * samples;
  for (let row = at; row < end; row += stride) {
    if (samples === 1) undoGrey(row, row + stride);
    else undoColour(row, row + stride);
  }
}

// A row needs as many dependent additions as it has pixels; prefix sums of sixteen bytes, by
// doubling shifts, need four.
function undoGrey(from: usize, end: usize): void {
  let at = from;
  let sum: u8 = 0;
  for (; at + 16 <= end; at += 16) {
    let part = v128.load(at);
    part = i8x16.add(part, shifted1(part));
    part = i8x16.add(part, shifted2(part));
    part = i8x16.add(part, shifted4(part));
    part = i8x16.add(part, shifted8(part));
    part = i8x16.add(part, i8x16.splat(sum));
    v128.store(at, part);
    sum = load<u8>(at + 15);
  }
  for (; at < end; at++) {
    sum += load<u8>(at);
    store<u8>(at, sum);
  }
}

/** The last of five pixels, repeated. */
const lastPixels: usize = memory.data<u8>([12, 13, 14, 12, 13, 14, 12, 13, 14, 12, 13, 14, 12, 13, 14, 12], 16);

// Five pixels are fifteen bytes: the last of the sixteen bytes read is the first of the next five
// pixels.
function undoColour(from: usize, end: usize): void {
  let at = from;
  let sum: v128 = i8x16.splat(0);
  // Loaded once: a constant would be rebuilt for every five pixels.
  const last = v128.load(lastPixels);
  if (at + 31 <= end) {
    let part = v128.load(at);
    for (; at + 31 <= end; at += 15) {
      // Read before the shared byte is overwritten.
      const next = v128.load(at, 15);
      part = i8x16.add(part, shifted3(part));
      part = i8x16.add(part, shifted6(part));
      part = i8x16.add(part, shifted12(part));
      part = i8x16.add(part, sum);
      v128.store(at, part);
      sum = i8x16.swizzle(part, last);
      part = next;
    }
    v128.store8_lane(at, part, 0);
  }
  let red = v128.extract_lane<u8>(sum, 0);
  let green = v128.extract_lane<u8>(sum, 1);
  let blue = v128.extract_lane<u8>(sum, 2);
  for (; at < end; at += 3) {
    red += load<u8>(at);
    green += load<u8>(at, 1);
    blue += load<u8>(at, 2);
    store<u8>(at, red);
    store<u8>(at, green, 1);
    store<u8>(at, blue, 2);
  }
}

// @ts-ignore: decorator
@inline
function shifted1(part: v128): v128 {
  return v128.shuffle<u8>(i8x16.splat(0), part, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
}

// @ts-ignore: decorator
@inline
function shifted2(part: v128): v128 {
  return v128.shuffle<u8>(i8x16.splat(0), part, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
}

// @ts-ignore: decorator
@inline
function shifted4(part: v128): v128 {
  return v128.shuffle<u8>(i8x16.splat(0), part, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
}

// @ts-ignore: decorator
@inline
function shifted8(part: v128): v128 {
  return v128.shuffle<u8>(i8x16.splat(0), part, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
}

// @ts-ignore: decorator
@inline
function shifted3(part: v128): v128 {
  return v128.shuffle<u8>(i8x16.splat(0), part, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28);
}

// @ts-ignore: decorator
@inline
function shifted6(part: v128): v128 {
  return v128.shuffle<u8>(i8x16.splat(0), part, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25);
}

// @ts-ignore: decorator
@inline
function shifted12(part: v128): v128 {
  return v128.shuffle<u8>(i8x16.splat(0), part, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
}
