import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { random } from "../../../../test/random.ts";
import { compressions, photometrics } from "../structure/tags.ts";
import type { SampleJob } from "./sample-job.ts";
import { createTileDecoder } from "./tile-decode.ts";
import { createSampleDecoder } from "./tile-samples.ts";

const side = 32;
const mutations = 1_000;

/** The samples of the picture that test/tiles/make.py draws. */
const colours = [
  (x: number, y: number) => (x * 7 + y * 3) & 255,
  (x: number, y: number) => (x * y) & 255,
  (x: number, y: number) => ((x ^ y) * 8) & 255,
] as const;
const mask = (x: number, y: number): number => (x + y < 40 ? 255 : 0);
const low = (x: number, y: number): number => (x * 31 + y * 17) & 255;

type Drawing = (x: number, y: number) => readonly number[];

const rgb: Drawing = (x, y) => colours.map((colour) => colour(x, y));
const deep: Drawing = (x, y) => rgb(x, y).map((value) => value * 256 + low(x, y));
const light: Drawing = (x, y) => rgb(x, y).map((value) => Math.fround(value / 255));
const fromYcc: Drawing = (x, y) => {
  const [luma = 0, , third = 0] = rgb(x, y);
  const [blue, red] = [255 - luma - 128, third - 128];
  const mixed = [1.402 * red, -0.344_136 * blue - 0.714_136 * red, 1.772 * blue];
  return mixed.map((add) => Math.max(0, Math.min(255, Math.round(luma + add))));
};

const numbers = (drawing: Drawing): number[] =>
  Array.from({ length: side * side }, (_, at) => drawing(at % side, Math.floor(at / side))).flat();

interface Example {
  readonly file: string;
  readonly compression: number;
  readonly drawing: Drawing;
  readonly samples?: number;
  readonly bits?: 16 | 32;
  readonly float?: true;
  readonly predictor?: 2;
  readonly beforeLerc?: 1 | 2;
  readonly bigEndian?: true;
}

const { lzma, lerc, jpegXl, jpegXlOfDng, jpeg2000, jpeg2000OfRgb, jpeg2000OfYcc } = compressions;

const examples: readonly Example[] = [
  { file: "rgb8.xz", compression: lzma, drawing: rgb },
  { file: "differences16.xz", compression: lzma, drawing: deep, bits: 16, predictor: 2 },
  { file: "rgb8.lerc", compression: lerc, drawing: rgb },
  { file: "rgb8.lerc.zz", compression: lerc, drawing: rgb, beforeLerc: 1 },
  { file: "rgb8.lerc.zst", compression: lerc, drawing: rgb, beforeLerc: 2 },
  {
    file: "masked8.lerc",
    compression: lerc,
    // Masked pixels have lost their colour.
    drawing: (x, y) => (mask(x, y) === 0 ? [0, 0, 0, 0] : [...rgb(x, y), 255]),
    samples: 4,
  },
  { file: "deep16.lerc", compression: lerc, drawing: deep, bits: 16 },
  { file: "deep16-big-endian.lerc", compression: lerc, drawing: deep, bits: 16, bigEndian: true },
  { file: "light32.lerc", compression: lerc, drawing: light, bits: 32, float: true },
  { file: "rgb8.jxl", compression: jpegXl, drawing: rgb },
  {
    file: "masked16.jxl",
    compression: jpegXlOfDng,
    drawing: (x, y) => [...deep(x, y), mask(x, y) * 257],
    samples: 4,
    bits: 16,
  },
  { file: "light32.jxl", compression: jpegXl, drawing: light, bits: 32, float: true },
  { file: "rgb8.j2k", compression: jpeg2000OfRgb, drawing: rgb },
  { file: "rgb8.jp2", compression: jpeg2000, drawing: rgb },
  { file: "deep16.j2k", compression: jpeg2000, drawing: deep, bits: 16 },
  {
    file: "grey8.j2k",
    compression: jpeg2000,
    drawing: (x, y) => [colours[0](x, y)],
    samples: 1,
  },
  { file: "ycc8.j2k", compression: jpeg2000OfYcc, drawing: fromYcc },
  {
    file: "ycc8-halved.j2k",
    compression: jpeg2000,
    drawing: (x, y) => {
      const [blue, red] = [127 - colours[0](x & ~1, y), colours[2](x & ~1, y) - 128];
      const mixed = [1.402 * red, -0.344_136 * blue - 0.714_136 * red, 1.772 * blue];
      const luma = colours[0](x, y);
      return mixed.map((add) => Math.max(0, Math.min(255, Math.round(luma + add))));
    },
  },
];

const jobOf = async (example: Example): Promise<SampleJob> => {
  const { samples = 3, bits = 8, predictor = 1, beforeLerc = 0 } = example;
  const bytes = await readFile(new URL(`../../../../test/tiles/${example.file}`, import.meta.url));
  return {
    bytes: Uint8Array.from(bytes),
    rows: side,
    littleEndian: example.bigEndian !== true,
    beforeLerc,
    layout: {
      tile: { width: side, height: side },
      planar: false,
      compression: example.compression,
      predictor,
      photometric: samples === 1 ? photometrics.blackIsZero : photometrics.rgb,
      samples,
      bits,
      sampleFormat: example.float ? "float" : "unsigned",
      fillOrder: 1,
    },
  };
};

let decode: (job: SampleJob) => Promise<Uint8Array>;
beforeAll(async () => {
  decode = createSampleDecoder(await createTileDecoder());
});

const read = (job: SampleJob, bytes: Uint8Array): number[] => {
  const { bits, sampleFormat } = job.layout;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = Array.from({ length: (bytes.length * 8) / bits }, (_, at) => {
    if (bits === 8) return view.getUint8(at);
    if (sampleFormat === "float") return view.getFloat32(at * 4, job.littleEndian);
    return view.getUint16(at * 2, job.littleEndian);
  });
  if (job.layout.predictor !== 2) return numbers;
  const row = side * job.layout.samples;
  for (const at of numbers.keys())
    if (at % row >= job.layout.samples)
      numbers[at] = ((numbers[at] ?? 0) + (numbers[at - job.layout.samples] ?? 0)) & 65_535;
  return numbers;
};

describe("decoded tiles", () => {
  test.each(examples.map((example) => [example.file, example] as const))(
    "%s has the original samples",
    async (_, example) => {
      const job = await jobOf(example);
      expect(read(job, await decode(job))).toEqual(numbers(example.drawing));
    },
  );

  test("have only the requested channels and region, as 16-bit numbers", async () => {
    const job = await jobOf({
      file: "light32.lerc",
      compression: lerc,
      drawing: light,
      bits: 32,
      float: true,
    });
    const size = { width: 5, height: 3 };
    const wanted = { size, channels: [2, 0], range: undefined, profiled: true };
    const bytes = await decode({ ...job, wanted });
    const all = Array.from(new Uint16Array(bytes.buffer));
    const corner = Array.from({ length: 15 }, (_, at) => light(at % 5, Math.floor(at / 5)));
    expect(all).toEqual(
      corner.flatMap(([red = 0, , blue = 0]) => [
        Math.floor(blue * 65_535 + 0.5),
        Math.floor(red * 65_535 + 0.5),
      ]),
    );
  });
});

describe("tile decoding rejects", () => {
  const others = examples.filter(({ file }) => !file.endsWith("xz"));

  test.each(others.map((example) => [example.file, example] as const))(
    "an image of another size than the tile: %s",
    async (_, example) => {
      const job = await jobOf(example);
      const smaller = { ...job.layout, tile: { width: side / 2, height: side / 2 } };
      await expect(decode({ ...job, rows: side / 2, layout: smaller })).rejects.toThrow(
        "32 x 32 pixels",
      );
    },
  );

  test.each(others.map((example) => [example.file, example] as const))(
    "a sample count that differs from the TIFF's: %s",
    async (_, example) => {
      const job = await jobOf(example);
      const layout = { ...job.layout, samples: job.layout.samples + 2 };
      await expect(decode({ ...job, layout })).rejects.toThrow(/samples|components|channels/);
    },
  );

  test("data that is shorter than the tile", async () => {
    const job = await jobOf({ file: "rgb8.xz", compression: lzma, drawing: rgb });
    const layout = { ...job.layout, tile: { width: side, height: side * 2 } };
    await expect(decode({ ...job, rows: side * 2, layout })).rejects.toThrow("3072 of 6144 bytes");
  });
});

describe(`${mutations} corrupt tiles are decoded or rejected, and an intact one still decodes`, () => {
  test.each(examples.map((example) => [example.file, example] as const))(
    "%s",
    async (_, example) => {
      const whole = await jobOf(example);
      const wanted = await decode(whole);
      const { whole: number, one } = random(34_887);
      const outcomes = { decoded: 0, refused: 0 };
      for (let round = 0; round < mutations; round++) {
        const cut = number(1, 10) === 1 ? number(0, whole.bytes.length) : whole.bytes.length;
        const bytes = whole.bytes.slice(0, cut);
        for (let change = number(1, 4); change > 0; change--)
          bytes[number(0, one([16, 64, bytes.length]))] = one([
            number(0, 255),
            0,
            1,
            127,
            128,
            255,
          ]);
        const decoded = await decode({ ...whole, bytes }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Error);
          return undefined;
        });
        if (decoded === undefined) outcomes.refused++;
        else {
          expect(decoded.length).toBe(wanted.length);
          outcomes.decoded++;
        }
      }
      expect(outcomes.refused).toBeGreaterThan(mutations / 10);
      expect(await decode(whole)).toEqual(wanted);
    },
    120_000,
  );
});
