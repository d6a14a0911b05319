const clearCode = 256;
const endCode = 257;
const firstFree = 258;
const shortest = 9;
const longest = 12;

/**
 * Decodes, slowly and plainly, the LZW of TIFF 6.0 section 13 (codes of 9 to 12 bits, high bit
 * first, growing one code early) to at most `length` bytes; throws for an invalid code.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: in one piece it is twice as fast.
export const unlzw = (bytes: Uint8Array, length: number): Uint8Array => {
  const out = new Uint8Array(length);
  // The strings of codes are all in the output already.
  const starts = new Uint32Array(1 << longest);
  const lengths = new Uint32Array(1 << longest);
  let next = firstFree;
  let width = shortest;
  let at = 0;
  let lastAt = 0;
  // Of the last written string; 0 after a reset.
  let lastLength = 0;
  let held = 0;
  let bits = 0;
  let from = 0;
  while (at < length) {
    while (bits < width) {
      if (from >= bytes.length) return out.subarray(0, at);
      held = ((held << 8) | (bytes[from++] ?? 0)) & 0xf_ffff;
      bits += 8;
    }
    bits -= width;
    const code = (held >> bits) & ((1 << width) - 1);
    if (code === endCode) break;
    if (code === clearCode) {
      next = firstFree;
      width = shortest;
      lastLength = 0;
      continue;
    }
    // A new string is the last one and the byte after it, which is the first of the current one.
    if (lastLength > 0 && next < 1 << longest) {
      starts[next] = lastAt;
      lengths[next] = lastLength + 1;
      next++;
    }
    lastAt = at;
    if (code < clearCode) out[at++] = code;
    else {
      if (code >= next) throw new Error("a code of the LZW data stands for nothing");
      // Byte by byte: a string may overlap the one being written.
      let source = starts[code] ?? 0;
      const end = Math.min(at + (lengths[code] ?? 0), length);
      while (at < end) out[at++] = out[source++] ?? 0;
    }
    lastLength = at - lastAt;
    if (next + 1 >= 1 << width && width < longest) width++;
  }
  return out.subarray(0, at);
};
