import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { fail } from "../../../core/errors.ts";
import { type Steps, work } from "../../../core/steps.ts";
import {
  compressions,
  decodedBytes,
  photometrics,
  readNumbers,
  type StoredLevel,
  type TiffFile,
  tags,
} from "../structure/index.ts";

const zip = promisify(deflate);

/** A tile of zeros in the level's compression: replaces tiles that sparse files omit. */
export function* emptyTile(file: TiffFile, level: StoredLevel): Steps<Uint8Array> {
  const zeros = decodedBytes(level, level.tile.height);
  switch (level.compression) {
    case compressions.none:
      return new Uint8Array(zeros);
    case compressions.deflate:
    case compressions.oldDeflate:
      return yield* work({ away: () => zip(new Uint8Array(zeros), { level: 1 }) });
    case compressions.lzw:
      return zerosAsLzw(zeros);
    case compressions.packBits:
      return zerosAsPackBits(zeros);
    case compressions.jpeg:
      return flatJpeg(yield* jpegShape(file, level));
    default:
      return fail("unreadable", "Tiles of the TIFF are missing.");
  }
}

/** Every zero after a reset of the table, so that codes stay 9 bits long. */
const zerosAsLzw = (count: number): Uint8Array => {
  const clear = 256;
  const end = 257;
  const bits = new BitWriter(Math.ceil((count * 18 + 18) / 8));
  for (let index = 0; index < count; index++) {
    bits.write(clear, 9);
    bits.write(0, 9);
  }
  bits.write(clear, 9);
  bits.write(end, 9);
  return bits.bytes();
};

const zerosAsPackBits = (count: number): Uint8Array => {
  const runs = Math.ceil(count / 128);
  const bytes = new Uint8Array(runs * 2);
  for (let run = 0; run < runs; run++)
    bytes[run * 2] = 257 - Math.max(2, Math.min(128, count - run * 128));
  return bytes;
};

interface JpegShape {
  readonly width: number;
  readonly height: number;
  /** Sampling factors of each component, and its one value, 0 to 255. */
  readonly components: readonly {
    readonly h: number;
    readonly v: number;
    readonly value: number;
  }[];
}

function* jpegShape(file: TiffFile, level: StoredLevel): Steps<JpegShape> {
  const { width, height } = level.tile;
  const components = level.planar ? 1 : level.samples;
  if (level.photometric !== photometrics.yCbCr || components !== 3)
    return {
      width,
      height,
      components: Array.from({ length: components }, () => ({ h: 1, v: 1, value: 0 })),
    };
  const entry = level.directory.entries.get(tags.yCbCrSubSampling);
  const [h = 2, v = 2] = entry === undefined ? [] : yield* readNumbers(file, entry);
  const chroma = { h: 1, v: 1, value: 128 };
  return { width, height, components: [{ h, v, value: 0 }, chroma, chroma] };
}

/**
 * A baseline JPEG of one colour, including its tables: a difference for the first block, then none.
 */
const flatJpeg = ({ width, height, components }: JpegShape): Uint8Array => {
  const acrossUnit = 8 * Math.max(...components.map(({ h }) => h));
  const downUnit = 8 * Math.max(...components.map(({ v }) => v));
  const units = Math.ceil(width / acrossUnit) * Math.ceil(height / downUnit);
  const blocks = components.reduce((sum, { h, v }) => sum + h * v, 0);
  const scan = new BitWriter(units * blocks + 64);
  for (let unit = 0; unit < units; unit++)
    for (const { h, v, value } of components)
      for (let block = 0; block < h * v; block++) {
        // With a quantiser of 8, a block's first coefficient is its mean minus 128.
        if (unit === 0 && block === 0) writeDifference(scan, value - 128);
        else scan.write(0, 1);
        scan.write(0, 1);
      }
  const sides = [height >> 8, height & 255, width >> 8, width & 255];
  const frame = components.flatMap(({ h, v }, index) => [index + 1, (h << 4) | v, 0]);
  const scanned = components.flatMap((_, index) => [index + 1, 0]);
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xdb, [0, ...Array.from({ length: 64 }, () => 8)]),
    ...segment(0xc0, [8, ...sides, components.length, ...frame]),
    // Codes: 0 for no difference, 10 for one of eight bits; and 0 for the end of a block.
    ...segment(0xc4, [0x00, 1, 1, ...Array.from({ length: 14 }, () => 0), 0, 8]),
    ...segment(0xc4, [0x10, 1, ...Array.from({ length: 15 }, () => 0), 0]),
    ...segment(0xda, [components.length, ...scanned, 0, 63, 0]),
    ...scan.bytes(),
    ...[0xff, 0xd9],
  ]);
};

const segment = (marker: number, body: readonly number[]): number[] => [
  0xff,
  marker,
  (body.length + 2) >> 8,
  (body.length + 2) & 255,
  ...body,
];

/**
 * Only 0 and -128 are ever written; JPEG encodes a negative number of n bits as itself plus 2^n -
 * 1.
 */
const writeDifference = (scan: BitWriter, difference: number): void => {
  if (difference === 0) scan.write(0, 1);
  else {
    scan.write(0b10, 2);
    scan.write(difference + 255, 8);
  }
};

/** Packs codes most significant bit first; pads the last byte with ones. */
class BitWriter {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(max: number) {
    this.#bytes = new Uint8Array(max);
  }

  write(code: number, length: number): void {
    for (let bit = length - 1; bit >= 0; bit--, this.#at++)
      if ((code >> bit) & 1) {
        const index = this.#at >> 3;
        this.#bytes[index] = (this.#bytes[index] ?? 0) | (0x80 >> (this.#at & 7));
      }
  }

  bytes(): Uint8Array {
    while (this.#at & 7) this.write(1, 1);
    return this.#bytes.subarray(0, this.#at >> 3);
  }
}
