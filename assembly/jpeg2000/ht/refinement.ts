/**
 * Groups are four columns of a stripe of four rows: sixteen bits, the first column in the lowest
 * four, its upper row first, which is the scan order of both passes (Rec. ITU-T T.814, 7.4).
 */
const groupBytes: usize = 2;

/** The bottom row of a group. */
const lowest: u32 = 0x8888;
const highest: u32 = 0x1111;

/**
 * The neighbours of sample 0 that follow it in scan order, in a strip of five columns: below it,
 * and to its right.
 */
const behind: u32 = 0x3a;

/**
 * Collects the significance of the quads at `quads`, in rows `stride` bytes apart, into groups at
 * `groups`, `groupStride` groups per row; the groups around the block must be 0.
 */
export function groupQuads(
  quads: usize,
  stride: usize,
  width: i32,
  height: i32,
  groups: usize,
  groupStride: i32,
): void {
  for (let y = 0; y < height; y += 4) {
    let quad = quads + <usize>(y >> 1) * stride;
    // A block may end in the upper half of a stripe, without quads below.
    const low: usize = y + 2 < height ? stride : 0;
    let group = groups + <usize>((y >> 2) + 1) * <usize>groupStride * groupBytes + groupBytes;
    for (let x = 0; x < width; x += 4) {
      let significant = columns(load<u32>(quad));
      let right = x + 2 < width ? columns(load<u32>(quad, 4)) : 0;
      if (low !== 0) {
        significant |= columns(load<u32>(quad + low)) << 2;
        if (x + 2 < width) right |= columns(load<u32>(quad + low, 4)) << 2;
      }
      store<u16>(group, <u16>((significant | (right << 8)) & inside(width - x, height - y)));
      quad += 8;
      group += groupBytes;
    }
  }
}

/** The significance of a quad, as two columns of a group. */
// @ts-ignore: decorator
@inline
function columns(entry: u32): u32 {
  return ((entry >> 4) & 3) | ((entry >> 2) & 0x30);
}

/** The samples of a group that lie in the block, given the columns and rows left. */
// @ts-ignore: decorator
@inline
function inside(across: i32, down: i32): u32 {
  const wide: u32 = across >= 4 ? 0xffff : (1 << (across << 2)) - 1;
  return wide & (down >= 4 ? 0xffff : 0x1111 * ((1 << down) - 1));
}

/**
 * The significance propagation pass (7.4): the bytes from `from` (inclusive) to `end` (exclusive)
 * say which neighbours of significant samples become significant, and their signs. `all` are
 * groups, initially 0, which then hold previous and new significance.
 */
export function propagate(
  from: usize,
  end: usize,
  groups: usize,
  all: usize,
  groupStride: i32,
  plane: u32,
  width: i32,
  height: i32,
  causal: bool,
  to: usize,
): void {
  let at = from;
  let last: u32 = 0;
  let held: u64 = 0;
  let bits: u32 = 0;
  const step = <usize>groupStride * groupBytes;
  // Halfway between once and twice the value of a bit of the next plane.
  const size: i32 = 3 << (plane - 1);
  const rowBytes = <usize>width << 2;
  for (let y = 0; y < height; y += 4) {
    const row = <usize>((y >> 2) + 1) * step + groupBytes;
    for (let x = 0; x < width; x += 4) {
      const here = row + <usize>(x >> 2) * groupBytes;
      const mine = groups + here;
      const known = <u32>load<u16>(mine);
      const left = <u32>load<u16>(all + here - groupBytes) >> 12;
      const right = <u32>load<u16>(mine, groupBytes) & 15;
      const above = all + here - step;
      const around =
        spreadDown(known) |
        (spreadDown(known) << 4) |
        (spreadDown(known) >> 4) |
        spreadColumn(left) |
        (spreadColumn(right) << 12) |
        (spreadAcross(above, lowest) >> 3) |
        (causal ? 0 : spreadAcross(mine + step, highest) << 3);
      const free = ~known & inside(width - x, height - y);
      let candidates = around & free;
      let become: u32 = 0;
      if (candidates !== 0) {
        // At most sixteen bits of significance, followed by at most sixteen signs.
        while (bits < 32) {
          const byte = at < end ? <u32>load<u8>(at) : 0;
          held |= (<u64>byte) << (<u64>bits);
          bits += last === 0xff ? 7 : 8;
          last = byte;
          at++;
        }
        while (candidates !== 0) {
          const sample = ctz<u32>(candidates);
          candidates &= candidates - 1;
          if ((held & 1) !== 0) {
            become |= 1 << sample;
            candidates |= after(sample) & free;
          }
          held >>= 1;
          bits--;
        }
        let signs = become;
        while (signs !== 0) {
          const sample = ctz<u32>(signs);
          signs &= signs - 1;
          const place = to + <usize>(y + (sample & 3)) * rowBytes + (<usize>(x + (sample >> 2)) << 2);
          store<i32>(place, (held & 1) !== 0 ? -size : size);
          held >>= 1;
          bits--;
        }
      }
      store<u16>(all + here, <u16>(known | become));
    }
  }
}

/** The neighbours of a sample that follow it in scan order, in its own group. */
// @ts-ignore: decorator
@inline
function after(sample: u32): u32 {
  const row = sample & 3;
  let neighbours = behind;
  if (row === 0) neighbours &= ~8;
  if (row === 3) neighbours &= ~0x22;
  return neighbours << sample;
}

/** Each sample and those above and below it. */
// @ts-ignore: decorator
@inline
function spreadDown(samples: u32): u32 {
  return samples | ((samples & 0x7777) << 1) | ((samples & 0xeeee) >> 1);
}

/** As `spreadDown`, for one column. */
// @ts-ignore: decorator
@inline
function spreadColumn(samples: u32): u32 {
  return (samples | (samples << 1) | (samples >> 1)) & 15;
}

/** One row of a group: each sample and those left and right of it, including adjacent groups. */
// @ts-ignore: decorator
@inline
function spreadAcross(group: usize, row: u32): u32 {
  const samples = <u32>load<u16>(group) & row;
  const left = (<u32>load<u16>(group - groupBytes) & row) >> 12;
  const right = (<u32>load<u16>(group, groupBytes) & row) << 12;
  return (samples | (samples << 4) | (samples >> 4) | left | right) & 0xffff;
}

/**
 * The magnitude refinement pass (7.5): one more bit for each sample that the cleanup pass found
 * significant, from the bytes from `from` (inclusive) to `end` (exclusive), which are read
 * backwards.
 */
export function refine(
  from: usize,
  end: usize,
  groups: usize,
  groupStride: i32,
  plane: u32,
  width: i32,
  height: i32,
  to: usize,
): void {
  let at: usize = end - 1;
  let last: u32 = 0xff;
  let held: u32 = 0;
  let bits: u32 = 0;
  const change: i32 = 1 << (plane - 1);
  const rowBytes = <usize>width << 2;
  for (let y = 0; y < height; y += 4) {
    let group = groups + (<usize>((y >> 2) + 1) * <usize>groupStride + 1) * groupBytes;
    for (let x = 0; x < width; x += 4) {
      let samples = <u32>load<u16>(group);
      group += groupBytes;
      if (samples === 0) continue;
      while (bits < 16) {
        const byte = at >= from ? <u32>load<u8>(at) : 0;
        held |= byte << bits;
        bits += last > 0x8f && (byte & 0x7f) === 0x7f ? 7 : 8;
        last = byte;
        at--;
      }
      while (samples !== 0) {
        const sample = ctz<u32>(samples);
        samples &= samples - 1;
        const place = to + <usize>(y + (sample & 3)) * rowBytes + (<usize>(x + (sample >> 2)) << 2);
        const value = load<i32>(place);
        // Away from zero for a one, towards zero for a zero.
        const away = ((held & 1) !== 0) === value > 0;
        store<i32>(place, away ? value + change : value - change);
        held >>= 1;
        bits--;
      }
    }
  }
}
