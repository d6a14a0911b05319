/** The parts of a BMP file for tests. */
export interface BmpParts {
  /** Bytes of the header: 12, 40, 52, 56, 64, 108 or 124. */
  readonly header?: number;
  readonly width: number;
  /** Negative where the top row comes first. */
  readonly height: number;
  readonly bits: number;
  readonly compression?: number;
  /** Blue, green, red and, but in the shortest header, nothing. */
  readonly palette?: readonly number[];
  /** Red, green, blue and opacity. */
  readonly masks?: readonly number[];
  readonly profile?: Uint8Array;
  /** As stored, with padded rows. */
  readonly pixels: Uint8Array;
}

/** A whole BMP file. */
export const bmpFile = (parts: BmpParts): Buffer => {
  const {
    header: length = 40,
    width,
    height,
    bits,
    compression = 0,
    palette = [],
    masks = [],
  } = parts;
  const header = Buffer.alloc(length);
  header.writeUInt32LE(length, 0);
  if (length === 12) {
    header.writeUInt16LE(width, 4);
    header.writeUInt16LE(height, 6);
    header.writeUInt16LE(1, 8);
    header.writeUInt16LE(bits, 10);
  } else {
    header.writeInt32LE(width, 4);
    header.writeInt32LE(height, 8);
    header.writeUInt16LE(1, 12);
    header.writeUInt16LE(bits, 14);
    header.writeUInt32LE(compression, 16);
    header.writeUInt32LE(palette.length / 4, 32);
  }
  const inside = Math.max(0, Math.min(masks.length, (length - 40) / 4));
  for (const [index, mask] of masks.slice(0, inside).entries())
    header.writeUInt32LE(mask, 40 + index * 4);
  const outside = Buffer.from(Uint32Array.from(length === 40 ? masks : []).buffer);
  const before = 14 + length + outside.length + palette.length;
  const { pixels, profile = Buffer.alloc(0) } = parts;
  if (profile.length > 0) {
    header.write("DEBM", 56, "latin1");
    header.writeUInt32LE(before - 14 + pixels.length, 112);
    header.writeUInt32LE(profile.length, 116);
  }
  const start = Buffer.alloc(14);
  start.write("BM", 0, "latin1");
  start.writeUInt32LE(before + pixels.length + profile.length, 2);
  start.writeUInt32LE(before, 10);
  return Buffer.concat([start, header, outside, Buffer.from(palette), pixels, profile]);
};
