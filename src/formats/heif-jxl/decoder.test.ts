import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { plan } from "../../../test/plans.ts";
import { random } from "../../../test/random.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { decodingKeys } from "../shared/keys.ts";
import { sampleEncodersHere } from "../write/samples/threads.ts";
import { createHeifJxlDecoder } from "./decoder.ts";
import { readHeader } from "./jpegxl/header.ts";
import { createHeifJxlThreads, heifJxlThreadLimits } from "./threads.ts";

const signal = new AbortController().signal;
const threadsWith = (given: Record<string, unknown> = {}) => {
  const settings = new Config(given).view(decodingKeys);
  const threads = createHeifJxlThreads(() => heifJxlThreadLimits(settings(), { threads: 1 }));
  return { settings, threads };
};
const { settings, threads } = threadsWith();
const decoder = createHeifJxlDecoder("jxl", settings, threads);
afterAll(() => threads.close());

const file = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../../test/tiles/${name}`, import.meta.url));

const side = 32;
const whole = { x: 0, y: 0, width: side, height: side };
const starting = 30_000;

const read = async (bytes: Uint8Array, page = 0) => {
  const reader = memoryReader(bytes);
  const info = await decoder.info(reader, signal);
  const window = { page, region: whole, atLeast: whole };
  return { info, raster: await decoder.read(reader, info, window, plan, signal) };
};

/** The picture that test/tiles/make.py draws. */
const drawn = (x: number, y: number): number[] => [
  (x * 7 + y * 3) & 255,
  (x * y) & 255,
  ((x ^ y) * 8) & 255,
];

const flipped = (bytes: Buffer, bit: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
};

/**
 * The header of a codestream of 48 x 48 pixels in sRGB of 8 bits, with one extra channel (ISO/IEC
 * 18181-1, annex D).
 */
const withChannel = (kind: number): Buffer => {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1);
  };
  // In eighths, five and one of them, square.
  for (const [value, count] of [
    [1, 1],
    [5, 5],
    [1, 3],
  ] as const)
    put(value, count);
  // Not all defaults, nothing about display, 8 bits, 16 suffice; one extra channel, not all
  // defaults.
  for (const [value, count] of [
    [0, 1],
    [0, 1],
    [0, 3],
    [1, 1],
    [1, 2],
    [0, 1],
  ] as const)
    put(value, count);
  if (kind < 2) put(kind, 2);
  else
    for (const [value, count] of [
      [2, 2],
      [kind - 2, 4],
    ] as const)
      put(value, count);
  // 8 bits, not reduced, without a name; then not in XYB, and sRGB.
  for (const [value, count] of [
    [0, 3],
    [0, 2],
    [0, 2],
    [0, 1],
    [1, 1],
  ] as const)
    put(value, count);
  const bytes = Buffer.alloc(64);
  for (const [at, bit] of bits.entries())
    bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (bit << (at & 7));
  return Buffer.concat([Buffer.from("ff0a", "hex"), bytes]);
};

describe("JPEG XL", () => {
  test("is read losslessly", { timeout: starting }, async () => {
    const { info, raster } = await read(await file("rgb8.jxl"));
    expect(info.pages).toMatchObject([
      { size: { width: side, height: side }, orientation: 1, colour: { bits: 8, model: "rgb" } },
    ]);
    const pixels = await raster.image.raw().toBuffer();
    const wanted = Array.from({ length: side * side }, (_, at) =>
      drawn(at % side, Math.floor(at / side)),
    );
    expect([...pixels]).toEqual(wanted.flat());
  });

  test("keeps 16 bits and transparency", async () => {
    const { info, raster } = await read(await file("masked16.jxl"));
    expect(info.pages[0].colour).toMatchObject({ bits: 16, model: "rgb", alpha: true });
    const { data, info: shape } = await raster.image
      .toColourspace("rgb16")
      .raw({ depth: "ushort" })
      .toBuffer({ resolveWithObject: true });
    expect(shape.channels).toBe(4);
    const values = new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
    // x = 1, y = 0, then the last pixel, which is masked.
    expect([...values.subarray(4, 8)]).toEqual([7 * 256 + 31, 31, 8 * 256 + 31, 65_535]);
    expect(values.at(-1)).toBe(0);
  });

  test("in floating point has samples from 0 to 1", async () => {
    const { info, raster } = await read(await file("light32.jxl"));
    expect(info.pages[0].colour.bits).toBe(32);
    const { data } = await raster.image
      .toColourspace("rgb16")
      .raw({ depth: "ushort" })
      .toBuffer({ resolveWithObject: true });
    const values = new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
    const [red = 0] = drawn(5, 3);
    expect(values[(3 * side + 5) * 3]).toBeCloseTo(red * 257, -1);
  });

  test("with premultiplied alpha is divided by it", async () => {
    const samples = Uint16Array.from({ length: side * side * 4 }, (_, at) =>
      at % 4 === 3 ? 32_768 : 10_000,
    );
    const data = new Uint8Array(samples.buffer);
    const shape = { width: side, height: side, samples: 4, bits: 16 } as const;
    const picture = { ...shape, data, profile: undefined };
    const job = { kind: "jpegxl", picture, distance: 0, effort: 1 } as const;
    const plain = Buffer.from(await sampleEncodersHere().run(job, signal));
    const header = readHeader(plain);
    const wanted = { ...header, extras: [{ ...header?.extras[0], premultiplied: true }] };
    // The bit of the header that says so is found by trial.
    const multiplied = Array.from({ length: 128 }, (_, bit) => flipped(plain, 16 + bit)).find(
      (bytes) => JSON.stringify(readHeader(bytes)) === JSON.stringify(wanted),
    );
    const colourOf = async (bytes: Buffer): Promise<number | undefined> => {
      const { image } = (await read(bytes)).raster;
      const shown = await image.toColourspace("rgb16").raw({ depth: "ushort" }).toBuffer();
      return new Uint16Array(shown.buffer, shown.byteOffset, shown.length / 2)[0];
    };
    expect(await colourOf(plain)).toBe(10_000);
    expect(await colourOf(multiplied ?? plain)).toBe(20_000);
  });

  test.each([
    ["black ink", 4, "CMYK is not supported"],
    ["depth", 1, "this one has depth"],
    ["heat", 6, "this one has heat"],
  ])("with a channel of %s is refused by name", async (_, kind, told) => {
    await expect(read(withChannel(kind))).rejects.toMatchObject({
      failure: "unreadable",
      message: expect.stringContaining(told),
    });
  });

  test("reports a page that does not exist as missing", async () => {
    await expect(read(await file("rgb8.jxl"), 1)).rejects.toMatchObject({ failure: "missing" });
  });

  test("that is truncated is refused", async () => {
    const bytes = await file("rgb8.jxl");
    await expect(read(bytes.subarray(0, 40))).rejects.toMatchObject({ failure: "unreadable" });
    await expect(read(Buffer.from([0xff, 0x0a]))).rejects.toMatchObject({ failure: "unreadable" });
  });

  test("that would exceed the memory limit is refused", async () => {
    const small = threadsWith({ "processor.max_scanned_pixels": 1_000_000 });
    const mean = createHeifJxlDecoder("jxl", small.settings, small.threads);
    // A size of 2 ^ 30 each way, in the longest form.
    const claims = Buffer.from("ff0afeffffffffffffff", "hex");
    await expect(mean.info(memoryReader(claims), signal)).rejects.toMatchObject({
      failure: "unreadable",
    });
    await small.threads.close();
  });

  test("that is corrupt gives an image or a refusal", { timeout: 60_000 }, async () => {
    const bytes = await file("masked16.jxl");
    const numbers = random(5);
    let refused = 0;
    for (let round = 0; round < 150; round++) {
      const damaged = Buffer.from(bytes);
      for (let change = 0; change < 3; change++)
        damaged[numbers.whole(2, damaged.length - 1)] = numbers.whole(0, 255);
      const [end] = await Promise.allSettled([read(damaged)]);
      if (end.status === "rejected") {
        refused++;
        expect(end.reason).toMatchObject({ failure: "unreadable" });
      }
    }
    expect(refused).toBeGreaterThan(0);
    const { raster } = await read(await file("rgb8.jxl"));
    expect(raster.size).toEqual({ width: side, height: side });
  });

  test("is not decoded for an aborted request", async () => {
    const leaving = AbortSignal.abort(new Error("left"));
    await expect(decoder.info(memoryReader(await file("rgb8.jxl")), leaving)).rejects.toThrow(
      "left",
    );
  });
});

test("a file that is not HEIC is refused with its detected format", {
  timeout: starting,
}, async () => {
  const heic = createHeifJxlDecoder("heic", settings, threads);
  const claims = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  await expect(heic.info(memoryReader(claims), signal)).rejects.toMatchObject({
    failure: "unreadable",
    message: expect.stringContaining("HEIC"),
  });
});
