import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import type { Rect } from "../../core/geometry.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createTiffDecoder } from "./decoder.ts";
import { type AssembledField, assembleTiff } from "./structure/assembly.ts";
import { compressions, photometrics, tags } from "./structure/tags.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);

const size = { width: 64, height: 16 };
const rowsPerStrip = 6;

const short = (tag: number, ...values: readonly number[]): AssembledField => {
  const bytes = new Uint8Array(Uint16Array.from(values).buffer);
  return { tag, type: 3, count: values.length, bytes };
};

const valueAt = (x: number, y: number): number => (x * 3 + y * 5) & 255;

/** Rows of the image, with all samples of a pixel the same. */
const rowsFrom = (y: number, count: number, samples: number): Uint8Array =>
  Uint8Array.from({ length: count * size.width * samples }, (_, index) => {
    const pixel = Math.floor(index / samples);
    return valueAt(pixel % size.width, y + Math.floor(pixel / size.width));
  });

/** A frame of one raw block (RFC 8878, 3.1.1), of 256 bytes or more. */
const storedZstd = (bytes: Uint8Array): Uint8Array => {
  const content = bytes.length - 256;
  const block = (bytes.length << 3) | 1;
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x60, content & 255, content >> 8];
  return Uint8Array.from([...head, block & 255, (block >> 8) & 255, block >> 16, ...bytes]);
};

interface Kind {
  readonly compression: number;
  readonly samples: number;
  readonly pack: (bytes: Uint8Array) => Uint8Array;
}

const kinds: readonly (readonly [string, Kind])[] = [
  // Decoded here and passed on as a TIFF that libtiff reads.
  ["Zstandard", { compression: compressions.zstd, samples: 1, pack: storedZstd }],
  // Rewritten, since libvips supports no more than four samples.
  [
    "deflate",
    { compression: compressions.deflate, samples: 5, pack: (bytes) => deflateSync(bytes) },
  ],
];

const tiffOf = ({ compression, samples, pack }: Kind): Uint8Array => {
  const strips: Uint8Array[] = [];
  for (let y = 0; y < size.height; y += rowsPerStrip)
    strips.push(pack(rowsFrom(y, Math.min(rowsPerStrip, size.height - y), samples)));
  const { file, slots } = assembleTiff({
    littleEndian: true,
    ...size,
    rowsPerStrip,
    fields: [
      short(tags.bitsPerSample, ...Array.from({ length: samples }, () => 8)),
      short(tags.compression, compression),
      short(tags.photometric, samples === 1 ? photometrics.blackIsZero : photometrics.rgb),
      short(tags.samplesPerPixel, samples),
      ...(samples === 5 ? [short(tags.extraSamples, 0, 0)] : []),
    ],
    lengths: strips.map(({ length }) => length),
  });
  for (const [index, strip] of strips.entries()) slots[index]?.set(strip);
  return file;
};

/** The first sample of each pixel of a region, row by row. */
const shown = async (bytes: Uint8Array, region: Rect): Promise<number[]> => {
  const reader = memoryReader(bytes);
  const decoder = createTiffDecoder(settings);
  const info = await decoder.info(reader, signal);
  const window = { page: 0, region, atLeast: region };
  const { image, covers } = await decoder.read(reader, info, window, plan, signal);
  const { data, info: raw } = await image.raw().toBuffer({ resolveWithObject: true });
  const values: number[] = [];
  for (let y = 0; y < region.height; y++)
    for (let x = 0; x < region.width; x++) {
      const pixel = (region.y - covers.y + y) * raw.width + region.x - covers.x + x;
      values.push(data[pixel * raw.channels] ?? -1);
    }
  return values;
};

const wanted = ({ x, y, width, height }: Rect): number[] =>
  Array.from({ length: width * height }, (_, index) =>
    valueAt(x + (index % width), y + Math.floor(index / width)),
  );

describe.each(kinds)("strips in %s with a shorter last one", (_, kind) => {
  test.each<Rect>([
    { x: 0, y: 0, ...size },
    { x: 3, y: 7, width: 20, height: 9 },
    { x: 0, y: 13, width: 64, height: 2 },
  ])("are read with their original values: %j", async (region) => {
    expect(await shown(tiffOf(kind), region)).toEqual(wanted(region));
  });
});
