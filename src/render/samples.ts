import { fail } from "../core/errors.ts";
import type { Size } from "../core/geometry.ts";

/** The samples of an image in memory, which may be changed in place. */
export interface RasterSamples extends Size {
  /** Samples per pixel; the last of 2 or 4 is alpha, not premultiplied. */
  readonly channels: number;
  /** The maximum value of a sample: 255 or 65535. */
  readonly max: number;
  /** The samples of a row, pixel by pixel; changing them changes the image. */
  row(y: number): Uint8Array | Uint16Array;
}

/**
 * The samples of an uncompressed single-page TIFF as libvips writes it: in strips, interleaved, in
 * the machine's byte order. Throws `internal` for any other.
 */
export const samplesOf = (file: Uint8Array): RasterSamples => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const { value } = fieldsOf(view);
  const [width, height] = [value(tags.width), value(tags.height)];
  const channels = value(tags.samplesPerPixel);
  const bits = value(tags.bitsPerSample);
  const rowsPerStrip = Math.min(height, value(tags.rowsPerStrip));
  if (value(tags.compression) !== 1 || value(tags.planar) !== 1 || (bits !== 8 && bits !== 16))
    return fail("internal", "Expected an uncompressed TIFF with 8 or 16 bits per sample.");
  const length = width * channels;
  const sampleBytes = bits / 8;
  return {
    width,
    height,
    channels,
    max: 2 ** bits - 1,
    row(y) {
      const strip = value(tags.stripOffsets, Math.floor(y / rowsPerStrip));
      const at = file.byteOffset + strip + (y % rowsPerStrip) * length * sampleBytes;
      return sampleBytes === 1
        ? new Uint8Array(file.buffer, at, length)
        : new Uint16Array(file.buffer, at, length);
    },
  };
};

/** TIFF 6.0 §8; the profile's is ICC's. */
export const tags = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  planar: 284,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  iccProfile: 34_675,
} as const;

const entryBytes = 12;
/** "II", the mark of a little-endian file. */
const littleEndian = 0x4949;

/** The fields of a directory, by their tags. */
interface Fields {
  /** A number; throws `internal` where there is no such field. PlanarConfiguration may be absent. */
  value(tag: number, index?: number): number;
  /** How many values a field has: 0 where there is none. */
  count(tag: number): number;
  /** The values of a field of bytes, of which there are more than four. */
  bytes(tag: number): Uint8Array;
}

/** The fields of a classic TIFF's first directory. */
export const fieldsOf = (view: DataView): Fields => {
  const little = view.getUint16(0) === littleEndian;
  const directory = view.getUint32(4, little);
  const entries = new Map<number, number>();
  for (let n = 0; n < view.getUint16(directory, little); n++) {
    const entry = directory + 2 + n * entryBytes;
    entries.set(view.getUint16(entry, little), entry);
  }
  const count = (tag: number): number => {
    const entry = entries.get(tag);
    return entry === undefined ? 0 : view.getUint32(entry + 4, little);
  };
  return {
    count,
    value(tag, index = 0) {
      const entry = entries.get(tag);
      if (entry === undefined && tag === tags.planar) return 1;
      if (entry === undefined) return fail("internal", `Expected a TIFF with tag ${tag}.`);
      const bytes = view.getUint16(entry + 2, little) === short ? 2 : 4;
      const isInline = view.getUint32(entry + 4, little) * bytes <= 4;
      const at = (isInline ? entry + 8 : view.getUint32(entry + 8, little)) + index * bytes;
      return bytes === 2 ? view.getUint16(at, little) : view.getUint32(at, little);
    },
    bytes(tag) {
      const at = view.getUint32((entries.get(tag) ?? 0) + 8, little);
      return new Uint8Array(view.buffer, view.byteOffset + at, count(tag));
    },
  };
};

/** TIFF 6.0 §2: 16 bits; other numbers read here have 32. */
const short = 3;
