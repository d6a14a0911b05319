import type { Size } from "../../core/geometry.ts";
import {
  type AssembledField,
  assembleTiff,
  compressions,
  photometrics,
  tags,
} from "../tiff/structure/index.ts";

/** What a file has beside its pixels. */
export interface TiledFileFacts {
  readonly size: Size;
  /** 1 for grey, 3 for RGB, of 8 bits each. */
  readonly channels: 1 | 3;
  readonly profile: Uint8Array | undefined;
  /** Pixels per inch; absent: not known. */
  readonly density: number | undefined;
}

/** An uncompressed TIFF in tiles, which is written row by row. */
export interface TiledFile {
  readonly bytes: Uint8Array;
  /** Sets a row of pixels. */
  put(row: number, pixels: Uint8Array): void;
}

/** Lays out a file for pixels that are set afterwards. */
export const createTiledFile = (facts: TiledFileFacts): TiledFile => {
  const { size, channels, profile, density } = facts;
  const across = Math.ceil(size.width / side);
  const count = across * Math.ceil(size.height / side);
  const stride = side * channels;
  const { file, slots } = assembleTiff({
    littleEndian: true,
    ...size,
    tile: { width: side, height: side },
    fields: [
      shorts(tags.bitsPerSample, ...Array.from({ length: channels }, () => 8)),
      shorts(tags.compression, compressions.none),
      shorts(tags.photometric, channels === 1 ? photometrics.blackIsZero : photometrics.rgb),
      shorts(tags.samplesPerPixel, channels),
      ...(profile ? [{ ...profileField, count: profile.length, bytes: profile }] : []),
      ...(density ? [perInch(xResolution, density), perInch(yResolution, density)] : []),
    ],
    lengths: Array.from({ length: count }, () => stride * side),
  });
  return {
    bytes: file,
    put(row, pixels) {
      const first = Math.floor(row / side) * across;
      const at = (row % side) * stride;
      for (let column = 0; column < across; column++)
        slots[first + column]?.set(pixels.subarray(column * stride, (column + 1) * stride), at);
    },
  };
};

/** Sides of tiles in pixels: of an overview, only a part is read each time. */
const side = 256;

/** The types of TIFF 6.0, section 2. */
const shortType = 3;
const rationalType = 5;
const undefinedType = 7;

const profileField = { tag: tags.iccProfile, type: undefinedType };

/** XResolution and YResolution, in the default unit, inches. */
const xResolution = 282;
const yResolution = 283;

const shorts = (tag: number, ...values: readonly number[]): AssembledField => {
  const bytes = new Uint8Array(2 * values.length);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint16(2 * index, value, true);
  return { tag, type: shortType, count: values.length, bytes };
};

/** A density as a fraction of thousandths. */
const perInch = (tag: number, density: number): AssembledField => {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.round(density * thousandths), true);
  view.setUint32(4, thousandths, true);
  return { tag, type: rationalType, count: 1, bytes };
};

const thousandths = 1_000;
