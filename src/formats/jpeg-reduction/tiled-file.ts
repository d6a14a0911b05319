import type { Size } from "../../core/geometry.ts";
import {
  type AssembledField,
  assembleTiff,
  compressions,
  numbersOf,
  photometrics,
  plainBytes,
  shorts,
  tags,
  types,
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
  /**
   * The number of bytes, from the beginning, that are final once so many rows are set from the top;
   * undefined within a row of tiles.
   */
  finalBytes(rows: number): number | undefined;
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
      ...(profile ? [plainBytes(tags.iccProfile, types.undefined, profile)] : []),
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
    finalBytes(rows) {
      if (rows % side !== 0) return undefined;
      const behind = slots[(rows / side) * across];
      return behind === undefined ? file.length : behind.byteOffset - file.byteOffset;
    },
  };
};

/** Sides of tiles in pixels: of an overview, only a part is read each time. */
const side = 256;

/** XResolution and YResolution, in the default unit, inches. */
const xResolution = 282;
const yResolution = 283;

/** A density as a fraction of thousandths. */
const perInch = (tag: number, density: number): AssembledField => {
  const fraction = numbersOf([Math.round(density * thousandths), thousandths], 4);
  return { tag, type: types.rational, count: 1, bytes: fraction };
};

const thousandths = 1_000;
