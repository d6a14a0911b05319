import type { BmpHeader, Mask } from "./header.ts";

/** How pixels become red, green and blue, or grey, with opacity if any. */
export interface BmpPixels {
  readonly channels: 1 | 3 | 4;
  /**
   * Writes pixels of a stored row to the start of `into`. `row` begins with the byte that contains
   * the beginning of pixel `first`; missing bytes count as 0.
   */
  readonly unpack: (row: Uint8Array, first: number, into: Uint8Array) => void;
}

/** The conversion of a file's pixels; `palette` is as stored, and may be empty. */
export const pixelsOf = (header: BmpHeader, palette: Uint8Array): BmpPixels => {
  if (header.bits <= 8) return indexed(header.bits, coloursOf(header, palette));
  if (header.bits === 24) return { channels: 3, unpack: unpackBgr };
  return masked(header);
};

/** The first byte of a stored row that contains part of a pixel. */
export const byteOf = (bits: number, pixel: number): number => Math.floor((pixel * bits) / 8);

/** Red, green and blue of each colour; missing ones that a pixel may reference are black. */
const coloursOf = (
  { bits, palette: { count, entry } }: BmpHeader,
  palette: Uint8Array,
): Uint8Array => {
  const colours = new Uint8Array(3 * 2 ** bits);
  for (let index = 0; index < count; index++)
    for (let channel = 0; channel < 3; channel++)
      colours[index * 3 + channel] = palette[index * entry + 2 - channel] ?? 0;
  return colours;
};

const indexed = (bits: number, colours: Uint8Array): BmpPixels => {
  const channels = isGrey(colours) ? 1 : 3;
  const perByte = 8 / bits;
  const mask = 2 ** bits - 1;
  return {
    channels,
    unpack(row, first, into) {
      const skipped = first % perByte;
      for (let x = 0, at = 0; at < into.length; x++) {
        const place = x + skipped;
        const byte = row[Math.floor(place / perByte)] ?? 0;
        const index = (byte >> (8 - bits - (place % perByte) * bits)) & mask;
        for (let channel = 0; channel < channels; channel++)
          into[at++] = colours[index * 3 + channel] ?? 0;
      }
    },
  };
};

const isGrey = (colours: Uint8Array): boolean => {
  for (let at = 0; at < colours.length; at += 3)
    if (colours[at] !== colours[at + 1] || colours[at] !== colours[at + 2]) return false;
  return true;
};

const unpackBgr: BmpPixels["unpack"] = (row, _first, into) => {
  for (let at = 0; at < into.length; at += 3) {
    into[at] = row[at + 2] ?? 0;
    into[at + 1] = row[at + 1] ?? 0;
    into[at + 2] = row[at] ?? 0;
  }
};

const masked = ({ bits, masks }: BmpHeader): BmpPixels => {
  const wanted: readonly Mask[] = masks[3].bits > 0 ? masks : masks.slice(0, 3);
  const size = bits / 8;
  const values = wanted.map(valueIn);
  return {
    channels: wanted.length === 4 ? 4 : 3,
    unpack(row, _first, into) {
      for (let from = 0, at = 0; at < into.length; from += size) {
        let pixel = (row[from] ?? 0) | ((row[from + 1] ?? 0) << 8);
        if (size === 4) pixel |= ((row[from + 2] ?? 0) << 16) | ((row[from + 3] ?? 0) << 24);
        for (const value of values) into[at++] = value(pixel);
      }
    },
  };
};

/** The value of a channel from 0 to 255. */
const valueIn = ({ shift, bits }: Mask): ((pixel: number) => number) => {
  if (bits === 0) return () => 0;
  const top = 2 ** bits - 1;
  if (bits === 8) return (pixel) => (pixel >>> shift) & 255;
  // `&` would make a mask of all 32 bits negative.
  return (pixel) => Math.round(((((pixel >>> shift) & top) >>> 0) * 255) / top);
};
