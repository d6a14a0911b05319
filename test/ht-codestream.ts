/** An HT code-block that forms a whole image. */
export interface HtPicture {
  readonly width: number;
  readonly height: number;
  readonly cleanup: Uint8Array;
  readonly refinement: Uint8Array;
  /** 1 to 3. */
  readonly passes: number;
  /** Bit planes of the band, and how many of them are zero. */
  readonly magnitudeBits: number;
  readonly missing: number;
  readonly causal: boolean;
  /** How many of the zero bit planes are coded as placeholder passes; none. */
  readonly placeholders?: number;
  /** Whether samples are unsigned; signed by default. */
  readonly unsigned?: boolean;
}

/**
 * A codestream of one component, no decomposition and one code-block, so that its samples are the
 * block's coefficients (ISO/IEC 15444-1 annexes A and B; Rec. ITU-T T.814 annexes A and B).
 */
export const codestreamOf = (picture: HtPicture): Uint8Array => {
  const { width, height, cleanup, refinement, magnitudeBits, causal } = picture;
  const packet = Buffer.concat([packetHeader(picture), cleanup, refinement]);
  const [across, down] = [sideCode(width), sideCode(height)];
  const precision = Math.min(magnitudeBits + 2, 31);
  return Buffer.concat([
    bytes(0xff4f, 2),
    marker(
      0xff51,
      [0x4000, 2],
      ...[width, height, 0, 0, width, height, 0, 0].map((value) => [value, 4] as const),
      [1, 2],
      [(picture.unsigned ? 0 : 0x80) | (precision - 1), 1],
      [1, 1],
      [1, 1],
    ),
    marker(0xff50, [0x00020000, 4], [0, 2]),
    marker(
      0xff52,
      [0, 1],
      [0, 1],
      [1, 2],
      [0, 1],
      [0, 1],
      [across, 1],
      [down, 1],
      [0x40 | (causal ? 8 : 0), 1],
      [1, 1],
    ),
    marker(0xff5c, [1 << 5, 1], [magnitudeBits << 3, 1]),
    marker(0xff90, [0, 2], [packet.length + 14, 4], [0, 1], [1, 1]),
    bytes(0xff93, 2),
    packet,
    bytes(0xffd9, 2),
  ]);
};

const sideCode = (side: number): number => Math.max(0, Math.ceil(Math.log2(side)) - 2);

const bytes = (value: number, count: number): Buffer => {
  const buffer = Buffer.alloc(count);
  buffer.writeUIntBE(value, 0, count);
  return buffer;
};

const marker = (code: number, ...fields: readonly (readonly [number, number])[]): Buffer => {
  const body = Buffer.concat(fields.map(([value, count]) => bytes(value, count)));
  return Buffer.concat([bytes(code, 2), bytes(body.length + 2, 2), body]);
};

/** Of one packet with one block in it (B.10). */
const packetHeader = (picture: HtPicture): Uint8Array => {
  const { cleanup, refinement, passes, missing, placeholders = 0 } = picture;
  const bits: number[] = [1, 1];
  for (let plane = placeholders; plane < missing; plane++) bits.push(0);
  bits.push(1, ...codeOfPasses(passes + 3 * placeholders));
  // A length has more bits the more passes it is the length of (B.10.7.1; T.814, B.3).
  const lengths: [number, number][] = [
    [cleanup.length, Math.floor(Math.log2(3 * placeholders + 1))],
  ];
  if (passes > 1) lengths.push([refinement.length, passes - 2]);
  const wanted = Math.max(3, ...lengths.map(([length, extra]) => 32 - Math.clz32(length) - extra));
  for (let more = 3; more < wanted; more++) bits.push(1);
  bits.push(0);
  for (const [length, extra] of lengths) bits.push(...bitsOf(length, wanted + extra));
  return stuffed(bits);
};

/** The codeword of a number of passes, 1 to 164 (ISO/IEC 15444-1, table B.4). */
const codeOfPasses = (passes: number): number[] => {
  if (passes < 3) return passes === 1 ? [0] : [1, 0];
  if (passes < 6) return [1, 1, ...bitsOf(passes - 3, 2)];
  if (passes < 37) return [1, 1, 1, 1, ...bitsOf(passes - 6, 5)];
  return [1, 1, 1, 1, 1, 1, 1, 1, 1, ...bitsOf(passes - 37, 7)];
};

const bitsOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => (value >> (count - 1 - index)) & 1);

const stuffed = (bits: readonly number[]): Uint8Array => {
  const out: number[] = [];
  let [byte, left] = [0, 8];
  for (const bit of bits) {
    byte |= bit << --left;
    if (left > 0) continue;
    out.push(byte);
    left = byte === 0xff ? 7 : 8;
    byte = 0;
  }
  if (left < 8) out.push(byte);
  if (out.at(-1) === 0xff) out.push(0);
  return Uint8Array.from(out);
};
