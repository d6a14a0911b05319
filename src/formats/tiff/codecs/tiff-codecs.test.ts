import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { plan } from "../../../../test/plans.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { Config } from "../../../config/store.ts";
import { createTileThreads, type TileThreads } from "../../fast-jpeg/tile-threads.ts";
import { decodingKeys } from "../../shared/keys.ts";
import { createTiffDecoder } from "../decoder.ts";
import { type AssembledField, assembleTiff } from "../structure/assembly.ts";
import { compressions, photometrics, tags } from "../structure/tags.ts";

const signal = new AbortController().signal;
const settings = new Config().view(decodingKeys);
const side = 32;

const threads = createTileThreads(() => ({ threads: 2, ms: 30_000 }));
afterAll(() => threads.close());

const short = (tag: number, ...values: readonly number[]): AssembledField => {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint16(index * 2, value, true);
  return { tag, type: 3, count: values.length, bytes };
};

interface Kind {
  readonly compression: number;
  readonly samples: number;
  readonly bits: number;
  readonly sampleFormat?: number;
}

const rgb = (compression: number): Kind => ({ compression, samples: 3, bits: 8 });

/** Tiles or a strip side by side, 32 rows high. */
const tiffOf = (
  tiles: readonly Uint8Array[],
  { compression, samples, bits, sampleFormat = 1 }: Kind,
  strip?: { readonly width: number; readonly height: number },
): Uint8Array => {
  const { file, slots } = assembleTiff({
    littleEndian: true,
    width: side * tiles.length,
    height: side,
    ...(strip ?? { tile: { width: side, height: side } }),
    fields: [
      short(tags.bitsPerSample, ...Array.from({ length: samples }, () => bits)),
      short(tags.compression, compression),
      short(tags.photometric, samples === 1 ? photometrics.whiteIsZero : photometrics.rgb),
      short(tags.samplesPerPixel, samples),
      short(tags.sampleFormat, ...Array.from({ length: samples }, () => sampleFormat)),
    ],
    lengths: tiles.map(({ length }) => length),
  });
  for (const [index, tile] of tiles.entries()) slots[index]?.set(tile);
  return file;
};

const tile = async (name: string): Promise<Uint8Array> =>
  Uint8Array.from(await readFile(new URL(`../../../../test/tiles/${name}`, import.meta.url)));

const pixelsOf = async (bytes: Uint8Array, parts: { readonly threads?: TileThreads } = {}) => {
  const reader = memoryReader(bytes);
  const decoder = createTiffDecoder(settings, parts);
  const info = await decoder.info(reader, signal);
  const { size } = info.pages[0];
  const window = { page: 0, region: { x: 0, y: 0, ...size }, atLeast: size };
  const { image } = await decoder.read(reader, info, window, plan, signal);
  return image.raw().toBuffer({ resolveWithObject: true });
};

const codecs: readonly (readonly [string, Kind])[] = [
  ["rgb8.xz", rgb(compressions.lzma)],
  ["rgb8.lerc", rgb(compressions.lerc)],
  ["rgb8.jxl", rgb(compressions.jpegXl)],
  ["rgb8.j2k", rgb(compressions.jpeg2000)],
  ["light32.lerc", { compression: compressions.lerc, samples: 3, bits: 32, sampleFormat: 3 }],
  ["light32.jxl", { compression: compressions.jpegXl, samples: 3, bits: 32, sampleFormat: 3 }],
];

describe("tiles in compressions that the bundled libtiff does not support", () => {
  test.each(codecs)(
    "decode identically with and without threads, with missing tiles black: %s",
    async (name, kind) => {
      const bytes = tiffOf([await tile(name), new Uint8Array(0)], kind);
      let decoded = 0;
      const counting: TileThreads = {
        ...threads,
        decode(job, signal) {
          decoded++;
          return threads.decode(job, signal);
        },
      };
      const { data, info } = await pixelsOf(bytes, { threads: counting });
      expect([info.width, info.height, info.channels]).toEqual([side * 2, side, 3]);
      expect(decoded).toBe(1);
      expect(data.equals((await pixelsOf(bytes)).data)).toBe(true);
      for (let x = 0; x < side * 2; x++) {
        const pixel = [...data.subarray((5 * side * 2 + x) * 3, (5 * side * 2 + x + 1) * 3)];
        if (x >= side) expect(pixel).toEqual([0, 0, 0]);
        else if (kind.bits === 8)
          expect(pixel).toEqual([(x * 7 + 15) & 255, (x * 5) & 255, ((x ^ 5) * 8) & 255]);
      }
    },
  );

  test.each(codecs)("are rejected when damaged: %s", async (name, kind) => {
    const whole = await tile(name);
    const bytes = tiffOf([whole.subarray(0, whole.length / 2)], kind);
    await expect(pixelsOf(bytes, { threads })).rejects.toMatchObject({ failure: "unreadable" });
    await expect(pixelsOf(bytes)).rejects.toMatchObject({ failure: "unreadable" });
  });
});

describe("ThunderScan", () => {
  const kind: Kind = { compression: compressions.thunderScan, samples: 1, bits: 4 };
  const strip = { width: side, height: side };
  /** Raw 5, then differences +1, 0 and -1, +3 and -2, then no change. */
  const row = [0xc5, 0b0101_0011, 0b1001_1110, 26];
  /** Of values from 0 for white to 15 for black. */
  const greys = (values: readonly number[]) => values.map((value) => 255 - value * 17);

  test("decodes raw values, differences and repeats", async () => {
    const rows = Array.from({ length: side }, () => row).flat();
    const { data, info } = await pixelsOf(tiffOf([Uint8Array.from(rows)], kind, strip), {
      threads,
    });
    const first = Array.from({ length: side }, (_, x) => data[x * info.channels] ?? -1);
    const wanted = [5, 6, 6, 5, 8, 6, ...Array.from({ length: 26 }, () => 6)];
    expect(first).toEqual(greys(wanted));
    const last = data.subarray((side - 1) * side * info.channels);
    expect(last.equals(data.subarray(0, side * info.channels))).toBe(true);
  });

  test("has missing last rows in white", async () => {
    const rows = Array.from({ length: side - 2 }, () => row).flat();
    const { data, info } = await pixelsOf(tiffOf([Uint8Array.from(rows)], kind, strip), {
      threads,
    });
    const at = (y: number): number => data[y * side * info.channels] ?? -1;
    expect([at(side - 3), at(side - 2), at(side - 1)]).toEqual([170, 255, 255]);
  });
});
