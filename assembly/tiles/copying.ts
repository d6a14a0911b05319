// Copies previous output, as both RFC 1951 and RFC 8878 do: a distance shorter than the length
// repeats a pattern.

/** For distances from 1 to 15, the index into the pattern for each of sixteen bytes. */
const patterns: usize = memory.data(16 * 16, 16);
/** For the same distances, how many of sixteen bytes are whole patterns. */
const steps: usize = memory.data(16, 16);

/** Fills the tables; call once. */
export function prepareCopying(): void {
  for (let distance: u32 = 1; distance < 16; distance++) {
    for (let k: u32 = 0; k < 16; k++) store<u8>(patterns + 16 * distance + k, <u8>(k % distance));
    store<u8>(steps + distance, <u8>(16 - (16 % distance)));
  }
}

/**
 * Writes `length` bytes (at least 1) to `out`, each a copy of the one `distance` bytes (at least 1)
 * before it. Up to 15 bytes after them are overwritten.
 */
// @ts-ignore: decorator
@inline
export function repeat(out: usize, distance: usize, length: usize): void {
  const stop = out + length;
  let source = out - distance;
  if (distance >= 16) {
    v128.store(out, v128.load(source));
    // Most copies are that short.
    if (length <= 16) return;
    do {
      out += 16;
      source += 16;
      v128.store(out, v128.load(source));
    } while (out + 16 < stop);
    return;
  }
  const pattern = i8x16.swizzle(v128.load(source), v128.load(distance << 4, patterns));
  const step = <usize>load<u8>(distance, steps);
  do {
    v128.store(out, pattern);
    out += step;
  } while (out < stop);
}
