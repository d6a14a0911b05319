import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, test } from "vitest";
import { plan } from "../../../test/plans.ts";
import { random } from "../../../test/random.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import { readingKeys } from "../reading.ts";
import { createForeignDecoder } from "./decoder.ts";
import { createForeignThreads, foreignThreadLimits } from "./threads.ts";

const signal = new AbortController().signal;
const threadsWith = (given: Record<string, unknown> = {}) => {
  const settings = new Config(given).view(readingKeys);
  const threads = createForeignThreads(() => foreignThreadLimits(settings(), { threads: 1 }));
  return { settings, threads };
};
const { settings, threads } = threadsWith();
const decoder = createForeignDecoder("jxl", settings, threads);
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

/** What test/tiles/make.py draws. */
const drawn = (x: number, y: number): number[] => [
  (x * 7 + y * 3) & 255,
  (x * y) & 255,
  ((x ^ y) * 8) & 255,
];

describe("JPEG XL", () => {
  test("is read to the last bit", { timeout: starting }, async () => {
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

  test("in floating point counts from 0 to 1", async () => {
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

  test("of which a page is wanted that is not there is missing", async () => {
    await expect(read(await file("rgb8.jxl"), 1)).rejects.toMatchObject({ failure: "missing" });
  });

  test("that ends too early is refused", async () => {
    const bytes = await file("rgb8.jxl");
    await expect(read(bytes.subarray(0, 40))).rejects.toMatchObject({ failure: "unreadable" });
    await expect(read(Buffer.from([0xff, 0x0a]))).rejects.toMatchObject({ failure: "unreadable" });
  });

  test("that would take too much is refused", async () => {
    const small = threadsWith({ "processor.max_scanned_pixels": 1_000_000 });
    const mean = createForeignDecoder("jxl", small.settings, small.threads);
    // A size of 2 ^ 30 each way, in the longest form.
    const claims = Buffer.from("ff0afeffffffffffffff", "hex");
    await expect(mean.info(memoryReader(claims), signal)).rejects.toMatchObject({
      failure: "unreadable",
    });
    await small.threads.close();
  });

  test("that is damaged anywhere gives a picture or a refusal", { timeout: 60_000 }, async () => {
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

  test("is not decoded for whoever has left", async () => {
    const leaving = AbortSignal.abort(new Error("left"));
    await expect(decoder.info(memoryReader(await file("rgb8.jxl")), leaving)).rejects.toThrow(
      "left",
    );
  });
});

test("what is no HEIC is refused by its name", { timeout: starting }, async () => {
  const heic = createForeignDecoder("heic", settings, threads);
  const claims = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1");
  await expect(heic.info(memoryReader(claims), signal)).rejects.toMatchObject({
    failure: "unreadable",
    message: expect.stringContaining("HEIC"),
  });
});
