/** Whether a byte behind 255 belongs to a scan: a stuffed zero, a restart marker or a fill byte. */
// @ts-ignore: decorator
@inline
function isWithin(byte: u32): bool {
  return byte === 0 || byte === 0xff || (byte & 0xf8) === 0xd0;
}

/**
 * The address of the first marker that ends a scan and lies between `from` and `end` with both its
 * bytes; `end` where there is none. Reads up to 15 bytes beyond.
 */
export function findMarker(from: usize, end: usize): usize {
  const all = i8x16.splat(-1);
  for (let at = from; at + 1 < end; at += 16) {
    let marks = i8x16.bitmask(i8x16.eq(v128.load(at), all));
    while (marks !== 0) {
      const mark = at + <usize>ctz(marks);
      if (mark + 1 >= end) break;
      if (!isWithin(load<u8>(mark + 1))) return mark;
      marks &= marks - 1;
    }
  }
  return end;
}
