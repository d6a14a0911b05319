/**
 * TIFF 6.0 section 9: a byte n is followed by n + 1 literal bytes, or by one to repeat. Returns at
 * most `length` bytes.
 */
export const unpackBits = (bytes: Uint8Array, length: number): Uint8Array => {
  const out = new Uint8Array(length);
  let to = 0;
  for (let from = 0; from < bytes.length && to < length; ) {
    const control = bytes[from++] ?? 0;
    if (control < 128) {
      const literal = bytes.subarray(from, from + Math.min(control + 1, length - to));
      out.set(literal, to);
      to += literal.length;
      from += control + 1;
    } else if (control > 128) {
      const run = Math.min(257 - control, length - to);
      out.fill(bytes[from++] ?? 0, to, to + run);
      to += run;
    }
  }
  return out.subarray(0, to);
};
