import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createTiffDecoder } from "./decoder.ts";
import { type AssembledField, type Assembly, assembleTiff } from "./structure/assembly.ts";
import { compressions, photometrics, tags } from "./structure/tags.ts";

const signal = new AbortController().signal;
const decoder = createTiffDecoder(new Config().view(decodingKeys));

const short = (tag: number, ...values: readonly number[]): AssembledField => ({
  tag,
  type: 3,
  count: values.length,
  bytes: new Uint8Array(Uint16Array.from(values).buffer),
});

type Shape = Pick<Assembly, "width" | "height"> & Partial<Assembly>;

const tiffOf = (
  parts: readonly Uint8Array[],
  shape: Shape,
  fields: readonly AssembledField[],
): Uint8Array => {
  const lengths = parts.map(({ length }) => length);
  const { file, slots } = assembleTiff({ littleEndian: true, ...shape, fields, lengths });
  for (const [index, part] of parts.entries()) slots[index]?.set(part);
  return file;
};

/** The samples of a whole TIFF, without those that sharp adds to grey ones. */
const pixelsOf = async (bytes: Uint8Array): Promise<{ data: number[]; channels: number }> => {
  const reader = memoryReader(bytes);
  const info = await decoder.info(reader, signal);
  const { size, colour } = info.pages[0];
  const window = { page: 0, region: { x: 0, y: 0, ...size }, atLeast: size };
  const { image } = await decoder.read(reader, info, window, plan, signal);
  const pixels = await (colour.model === "grey" ? image.toColourspace("b-w") : image)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: [...pixels.data], channels: pixels.info.channels };
};

describe("SGI LogLuv and LogL", () => {
  /**
   * 12 x 3 pixels by libtiff 4.5.0 from floating point, and the result of its TIFFReadRGBAImage.
   */
  const stored = Buffer.from(
    "BDw9PT2DPoE/DFsOhuEpZprI8BU2VQwmLTI1Nzk6Ozw8PT0Miae5xM3T2Nzf4uTmhECEAIoAhFGEVoTAhMIGPD09Pj4+hD8MQ0PZQ5XZEkNulbjZin6K1A==",
    "base64",
  );
  const shown =
    "005893006f8c00818300917d199f7332ac6a3fb95f4bc45356cf475cda3466e31d6ced00" +
    "ebffff".repeat(6) +
    "000000".repeat(6) +
    "673723924e32b35f3dcf6e46e77b4ffe8756ff925dff9c64ffa66affaf6fffb775ffbf7a";
  const luv = (strip: Uint8Array, { width, height }: { width: number; height: number }) =>
    tiffOf([strip], { width, height }, [
      short(tags.bitsPerSample, 16, 16, 16),
      short(tags.compression, compressions.sgiLog),
      short(tags.photometric, photometrics.logLuv),
      short(tags.samplesPerPixel, 3),
      short(tags.sampleFormat, 2, 2, 2),
    ]);

  test("with colours match libtiff", async () => {
    const { data, channels } = await pixelsOf(luv(stored, { width: 12, height: 3 }));
    expect(channels).toBe(3);
    expect(Buffer.from(data).toString("hex")).toBe(shown);
  });

  const grey = (strip: Uint8Array, photometric: number = photometrics.logL) =>
    tiffOf([strip], { width: 6, height: 2 }, [
      short(tags.bitsPerSample, 16),
      short(tags.compression, compressions.sgiLog),
      short(tags.photometric, photometric),
      short(tags.sampleFormat, 2),
    ]);
  /** High bytes as a run and as literals, then low ones; 0x4000 is 1, each 0x100 doubles it. */
  const first = [0x80 + 2, 0x3e, 2, 0x40, 0xbe, 0x80 + 4, 0x00];
  const second = [5, 0x3f, 0x3f, 0x3c, 0x3a, 0x00, 1, 0x00, 6, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00];

  test("without colours are grey, black up to zero light and white from one", async () => {
    const { data, channels } = await pixelsOf(grey(Uint8Array.from([...first, ...second])));
    expect(channels).toBe(1);
    const root = (power: number): number => Math.floor(256 * Math.sqrt(2 ** (power + 0.5 / 256)));
    expect(data.slice(0, 6)).toEqual([...[1, 2, 3, 4].map(() => root(-2)), 255, 0]);
    expect(data.slice(6)).toEqual([root(-1), root(-0.5), root(-4), root(-6), 0, 0]);
  });

  test("are rejected when truncated", async () => {
    const cut = grey(Uint8Array.from([...first, ...second.slice(0, -3)]));
    await expect(pixelsOf(cut)).rejects.toMatchObject({ failure: "unreadable" });
  });

  /**
   * 12 x 4 pixels, some without chromaticity, and the result of TIFFReadRGBAImage of libtiff 4.5.0.
   */
  const stored24 = Buffer.from(
    "8200648343ab8486f285ca39870d808850c789940e8ad7558c1a9c8d5de38ea12a8fe4719127b8926aff" +
      "93ae4694f18d9634d497781b98bb6299fea99b024f9c45969d88dd9ecc24a00f6ba152b2a295f9a3d940" +
      "a51c87a65fcea7a315a8e65caa29a3ab6ceaacb031adf378af36bfb07a06b1bd4db2c0f3000000003fff" +
      "af3fa0af3fa1af3fffffdf400000054b0fa0",
    "hex",
  );
  const shown24 =
    "af00ff0000ff5a00fdb900db0052d01e45bf9f00ac9a00a1005ba063469353528b007a8b884175c30062" +
    "dc0051d80045ba2e4083624000853c00981aff00ff8400ffff00ffa900ffff00ffff00ffff00ffd73fff" +
    "ff00eeff00dbff00d338acdaff4cb8ff009aff0083ff4276daa477ff8943e7b200ff00ff000000000000" +
    "00e000b1b1b1b1b1b1ff00ff0000001c0633";
  const luv24 = (strip: Uint8Array, photometric: number = photometrics.logLuv) =>
    tiffOf([strip], { width: 12, height: 4 }, [
      short(tags.bitsPerSample, 16, 16, 16),
      short(tags.compression, compressions.sgiLog24),
      short(tags.photometric, photometric),
      short(tags.samplesPerPixel, 3),
      short(tags.sampleFormat, 2, 2, 2),
    ]);

  test("of 24 bits match libtiff", async () => {
    const { data, channels } = await pixelsOf(luv24(stored24));
    expect(channels).toBe(3);
    expect(Buffer.from(data).toString("hex")).toBe(shown24);
  });

  test("of 24 bits are rejected when truncated or without colours", async () => {
    await expect(pixelsOf(luv24(stored24.subarray(0, -1)))).rejects.toMatchObject({
      failure: "unreadable",
    });
    await expect(pixelsOf(luv24(stored24, photometrics.logL))).rejects.toThrow(
      /LogLuv of three samples/,
    );
  });

  test("are rejected with another photometric interpretation", async () => {
    const other = grey(Uint8Array.from([...first, ...second]), photometrics.blackIsZero);
    await expect(pixelsOf(other)).rejects.toThrow(/LogL of one sample/);
  });
});

describe("uncompressed YCbCr", () => {
  const size = { width: 4, height: 2 };
  const pixels = Array.from({ length: 8 }, (_, index) => [index * 30, 90 + index, 200 - index]);
  const fields = (...others: readonly AssembledField[]): AssembledField[] => [
    short(tags.bitsPerSample, 8, 8, 8),
    short(tags.compression, compressions.none),
    short(tags.photometric, photometrics.yCbCr),
    short(tags.samplesPerPixel, 3),
    ...others,
  ];
  const whole = short(tags.yCbCrSubSampling, 1, 1);
  const rgb = ([y = 0, cb = 0, cr = 0]: readonly number[], light = 1): number[] =>
    [
      y + 1.402 * (cr - 128),
      y - 0.344_136 * (cb - 128) - 0.714_136 * (cr - 128),
      y + 1.772 * (cb - 128),
    ].map((value) => Math.max(0, Math.min(255, value * light)));
  const strip = Uint8Array.from(pixels.flat());

  test("is converted to RGB", async () => {
    const { data } = await pixelsOf(tiffOf([strip], size, fields(whole)));
    const wanted = pixels.flatMap((pixel) => rgb(pixel));
    for (const [index, value] of data.entries())
      expect(Math.abs(value - (wanted[index] ?? -9))).toBeLessThan(1);
  });

  test("uses the file's coefficients and reference black and white", async () => {
    const rationals = (tag: number, values: readonly number[]): AssembledField => ({
      tag,
      type: 5,
      count: values.length,
      bytes: new Uint8Array(
        Uint32Array.from(values.flatMap((value) => [value * 1_000, 1_000])).buffer,
      ),
    });
    const said = fields(
      whole,
      rationals(tags.yCbCrCoefficients, [0.5, 0.25, 0.25]),
      rationals(tags.referenceBlackWhite, [16, 235, 128, 255, 128, 255]),
    );
    const { data } = await pixelsOf(tiffOf([strip], size, said));
    const [y, cb, cr] = pixels[4] ?? [];
    const level = (((y ?? 0) - 16) * 255) / 219;
    const [blue, red] = [((cb ?? 0) - 128) * 1.5, (cr ?? 0) - 128];
    const wanted = [level + red, level - (0.5 * red + 0.25 * blue) / 0.25, level + blue];
    expect(data.slice(12, 15)).toEqual(
      wanted.map((value) => Math.round(Math.max(0, Math.min(255, value)))),
    );
  });

  test("in planar layout is rejected when its info is read", async () => {
    const planes = [0, 1, 2].map((band) =>
      Uint8Array.from(pixels.map((pixel) => pixel[band] ?? 0)),
    );
    const planar = tiffOf(planes, size, fields(whole, short(tags.planarConfiguration, 2)));
    await expect(decoder.info(memoryReader(planar), signal)).rejects.toThrow(
      /Expected chunky YCbCr.*planar 8-bit samples, subsampling 1 x 1/,
    );
  });
});

describe("JPEG tiles in planar layout with an alpha channel", () => {
  const side = 16;
  const tile = { width: side, height: side };
  const flat = (value: number): Promise<Buffer> =>
    sharp({ create: { ...tile, channels: 3, background: { r: value, g: value, b: value } } })
      .toColourspace("b-w")
      .jpeg()
      .toBuffer();
  const fields = [
    short(tags.bitsPerSample, 8, 8, 8, 8),
    short(tags.compression, compressions.jpeg),
    short(tags.photometric, photometrics.rgb),
    short(tags.samplesPerPixel, 4),
    short(tags.planarConfiguration, 2),
    short(tags.extraSamples, 2),
  ];

  test("are read, including alpha", async () => {
    const tiles = await Promise.all([10, 120, 230, 77].map(flat));
    const { data, channels } = await pixelsOf(tiffOf(tiles, { ...tile, tile }, fields));
    expect(channels).toBe(4);
    for (const [index, value] of data.entries())
      expect(Math.abs(value - ([10, 120, 230, 77][index % 4] ?? -9))).toBeLessThanOrEqual(1);
  });

  test("are rejected when one has another size or is truncated", async () => {
    const [one, two, three] = await Promise.all([10, 120, 230].map(flat));
    const other = await sharp({
      create: { width: 8, height: 8, channels: 3, background: "#777" },
    })
      .toColourspace("b-w")
      .jpeg()
      .toBuffer();
    const parts = [one, two, three].map((part) => part ?? new Uint8Array(0));
    for (const last of [other, other.subarray(0, 60)]) {
      const bytes = tiffOf([...parts, last], { ...tile, tile }, fields);
      await expect(pixelsOf(bytes)).rejects.toMatchObject({ failure: "unreadable" });
    }
  });
});
