import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { plan as plain } from "../../../test/plans.ts";
import { random } from "../../../test/random.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { Config } from "../../config/store.ts";
import type { Size } from "../../core/geometry.ts";
import type { Plan } from "../../core/plan.ts";
import { singleFile } from "../../sources/file-reader.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createVipsDecoder } from "./decoder.ts";
import { isReadAtHalf, reducedInput } from "./reduced.ts";

const settings = new Config().view(decodingKeys);
const size = { width: 40, height: 20 };
const window = { region: { x: 0, y: 0, ...size }, atLeast: { width: 20, height: 10 } };
const plan = { ...plain, downscaleFilter: "bicubic" } as const;

describe("a JPEG is read at half its size", () => {
  it("where exactly that is wanted of all of it", () => {
    expect(reducedInput("/a b/c.jpg", size, { window, plan })).toEqual({
      input: "/a b/c.jpg[shrink=2]",
      size: { width: 20, height: 10 },
    });
  });

  it.each([
    ["a third is wanted", { window: { ...window, atLeast: { width: 20, height: 9 } } }],
    [
      "a part is wanted",
      {
        window: {
          region: { x: 1, y: 0, width: 20, height: 20 },
          atLeast: { width: 10, height: 10 },
        },
      },
    ],
    ["pixels are mixed in linear light", { plan: { ...plan, linear: true } }],
    ["another filter is configured", { plan: { ...plan, downscaleFilter: "box" as const } }],
    [
      "parts are redacted first",
      { plan: { ...plan, cover: { redactions: [{ x: 0, y: 0, width: 9, height: 9 }] } as never } },
    ],
  ])("not where %s", (_, other) => {
    expect(reducedInput("/c.jpg", size, { window, plan, ...other })).toBeUndefined();
  });

  it.each(["/a[1].jpg", '/a".jpg', "/a'.jpg", "/a\\.jpg"])(
    "not where libvips would not find the option behind the path (%s)",
    (path) => {
      expect(reducedInput(path, size, { window, plan })).toBeUndefined();
    },
  );

  it("not where a side is odd, or the file is in memory", () => {
    const odd = { width: 41, height: 20 };
    const whole = { region: { x: 0, y: 0, ...odd }, atLeast: { width: 20.5, height: 10 } };
    expect(reducedInput("/c.jpg", odd, { window: whole, plan })).toBeUndefined();
    expect(reducedInput(new Uint8Array(9), size, { window, plan })).toBeUndefined();
  });

  it("by the decoder, from a file", async () => {
    const path = join(await temporaryFolder(), "noise, large.jpg");
    const { bytes, size } = await noise();
    await writeFile(path, bytes);
    const decoder = createVipsDecoder("jpg", settings);
    const reader = await singleFile(path);
    try {
      const signal = AbortSignal.timeout(10_000);
      const info = await decoder.info(reader, signal);
      expect(await isReadAtHalf(reader, info, { plan, signal })).toBe(true);
      const half = { width: size.width / 2, height: size.height / 2 };
      const wanted = { page: 0, region: { x: 0, y: 0, ...size }, atLeast: half };
      const raster = await decoder.read(reader, info, wanted, plan, signal);
      expect(raster).toMatchObject({ size: half, covers: { x: 0, y: 0, ...size } });
      const { data, info: read } = await raster.image.raw().toBuffer({ resolveWithObject: true });
      expect(read).toMatchObject({ ...half, channels: 3 });
      const scaled = await sharp(path).resize(half.width, half.height).raw().toBuffer();
      expect(meanDifference(data, scaled)).toBeLessThan(15);
    } finally {
      await reader.close();
    }
  });
});

describe("a JPEG is reduced by a smaller factor than sharp would choose", () => {
  const reducedTo = (
    from: Size,
    atLeast: Size,
    other: Partial<Pick<Plan, "linear" | "downscaleFilter">> = {},
  ) =>
    reducedInput("/c.jpg", from, {
      window: { region: { x: 0, y: 0, ...from }, atLeast },
      plan: { ...plan, ...other },
    });

  it.each<[string, Size, Size, string | undefined]>([
    ["a quarter", { width: 6_980, height: 5_072 }, { width: 400, height: 291 }, "4: 1745x1268"],
    ["a half", { width: 8_255, height: 5_503 }, { width: 400, height: 267 }, "2: 4127x2751"],
    [
      "not if sharp's is exact",
      { width: 8_256, height: 5_504 },
      { width: 400, height: 267 },
      undefined,
    ],
    [
      "not if sharp's is close",
      { width: 8_257, height: 5_505 },
      { width: 400, height: 267 },
      undefined,
    ],
    [
      "not if every factor would displace it",
      { width: 8_257, height: 5_505 },
      { width: 2_064, height: 1_376 },
      undefined,
    ],
    [
      "not if the image is hardly reduced",
      { width: 8_257, height: 5_505 },
      { width: 5_000, height: 3_333 },
      undefined,
    ],
  ])("%s", (_, from, to, expected) => {
    const found = reducedTo(from, to);
    const { width, height } = found?.size ?? {};
    expect(found && `${found.input.slice(14, -1)}: ${width}x${height}`).toBe(expected);
  });

  it("from the path of a small file, whose bytes are the input", () => {
    let asked = 0;
    const small = (atLeast: Size, path?: string) => {
      const from = { width: 3_004, height: 2_004 };
      const window = { region: { x: 0, y: 0, ...from }, atLeast };
      const file = {
        get path() {
          asked++;
          return path ?? "";
        },
      };
      const needs = { window, plan, ...(path !== undefined && { file }) };
      return reducedInput(new Uint8Array(9), from, needs)?.input;
    };
    expect(small({ width: 300, height: 200 }, "/a.jpg")).toBe("/a.jpg[shrink=4]");
    expect(small({ width: 300, height: 200 }, "/a[1].jpg")).toBeUndefined();
    expect(small({ width: 300, height: 200 })).toBeUndefined();
    expect(asked).toBe(2);
    // A path that is not used need not be checked.
    expect(small({ width: 1_502, height: 1_002 }, "/a.jpg")).toBeUndefined();
    expect(small({ width: 2_000, height: 1_334 }, "/a.jpg")).toBeUndefined();
    expect(asked).toBe(2);
  });

  it("with any filter, but not in linear light", () => {
    const [from, to] = [
      { width: 6_976, height: 5_074 },
      { width: 400, height: 291 },
    ];
    expect(reducedTo(from, to, { downscaleFilter: "box" })).toBeDefined();
    expect(reducedTo(from, to, { linear: true })).toBeUndefined();
  });

  it("without being displaced", async () => {
    const path = join(await temporaryFolder(), "odd.jpg");
    const { bytes, size } = await noise({ width: 3_204, height: 2_405 });
    await writeFile(path, bytes);
    const decoder = createVipsDecoder("jpg", settings);
    const reader = await singleFile(path);
    try {
      const signal = AbortSignal.timeout(10_000);
      const info = await decoder.info(reader, signal);
      const small = { width: 200, height: 150 };
      const wanted = { page: 0, region: { x: 0, y: 0, ...size }, atLeast: small };
      const raster = await decoder.read(reader, info, wanted, plan, signal);
      expect(raster.size).toEqual({ width: 801, height: 601 });
      expect(raster.halves).toBeUndefined();
      const read = await raster.image.png().toBuffer();
      const scaled = (from: string | Buffer) =>
        sharp(from)
          .extract({ left: 0, top: 0, ...(from === path ? size : raster.size) })
          .resize(small.width, small.height, { fit: "fill", kernel: "cubic" })
          .raw()
          .toBuffer();
      expect(meanDifference(await scaled(read), await scaled(path))).toBeLessThan(1.5);
    } finally {
      await reader.close();
    }
  });
});

/** A JPEG that is large enough to be read from its file, of coarse noise. */
const noise = async (
  size = { width: 3_200, height: 2_400 },
): Promise<{ readonly bytes: Uint8Array; readonly size: Size }> => {
  const dice = random(7);
  const pixels = Uint8Array.from({ length: size.width * size.height }, () => dice.whole(0, 255));
  const image = sharp(pixels, { raw: { ...size, channels: 1 } }).toColourspace("srgb");
  return { bytes: await image.jpeg({ quality: 95 }).toBuffer(), size };
};

const meanDifference = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
