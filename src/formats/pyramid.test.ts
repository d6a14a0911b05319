import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PyramidOptions, writePyramid } from "./pyramid.ts";
import { layDirectories } from "./pyramid-directories.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-pyramid-"));
});
afterAll(() => rm(folder, { recursive: true }));

const { signal } = new AbortController();

/** Smooth, and different in each corner, so that JPEG changes little and turned pictures show. */
const draw = (width: number, height: number, bands: 1 | 3): Uint8Array => {
  const pixels = new Uint8Array(width * height * bands);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let band = 0; band < bands; band++)
        pixels[(y * width + x) * bands + band] =
          [(200 * x) / width, (250 * y) / height, 40 + (90 * (x + y)) / (width + height)][band] ??
          0;
  return pixels;
};

async function* strips(pixels: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pixels.length; at += length) yield pixels.subarray(at, at + length);
}

const write = async (
  name: string,
  size: { readonly width: number; readonly height: number },
  options: Partial<PyramidOptions> = {},
): Promise<{ readonly path: string; readonly pixels: Uint8Array }> => {
  const { bands = 3, tile = 64 } = options;
  const pixels = draw(size.width, size.height, bands);
  const path = join(folder, name);
  await writePyramid(path, strips(pixels, size.width * tile * bands), {
    size,
    bands,
    tile,
    quality: 95,
    signal,
    ...options,
  });
  return { path, pixels };
};

const meanDifference = (a: Uint8Array, b: Uint8Array): number => {
  expect(a.length).toBe(b.length);
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length;
};

describe("a pyramid", () => {
  test.each([
    { width: 300, height: 200, bands: 3 },
    { width: 129, height: 257, bands: 3 },
    { width: 257, height: 129, bands: 1 },
    { width: 64, height: 64, bands: 3 },
    { width: 500, height: 1, bands: 3 },
    { width: 1, height: 500, bands: 1 },
    { width: 193, height: 65, bands: 3 },
  ] as const)("of $width x $height in $bands bands shows the picture at each level", async (of) => {
    const { path, pixels } = await write(`${of.width}x${of.height}.tif`, of, { bands: of.bands });
    const { pages = 1 } = await sharp(path).metadata();
    let { width, height } = of as { width: number; height: number };
    for (let page = 0; page < pages; page++) {
      const level = sharp(path, { page });
      const seen = await level.metadata();
      expect([seen.width, seen.height]).toEqual([width, height]);
      const space = of.bands === 1 ? "b-w" : "srgb";
      const expected = await sharp(pixels, {
        raw: { width: of.width, height: of.height, channels: of.bands },
      })
        .resize(width, height, { fit: "fill", kernel: "linear" })
        .toColourspace(space)
        .raw()
        .toBuffer();
      expect(
        meanDifference(await level.toColourspace(space).raw().toBuffer(), expected),
      ).toBeLessThan(2.5);
      [width, height] = [Math.max(1, width >> 1), Math.max(1, height >> 1)];
    }
    expect(Math.max(width, height)).toBeLessThanOrEqual(32);
  });

  test("is not left behind in part when the pixels end early", async () => {
    const path = join(folder, "short.tif");
    const options = {
      size: { width: 64, height: 128 },
      bands: 3,
      tile: 64,
      quality: 90,
      signal,
    } as const;
    const half = strips(draw(64, 64, 3), 64 * 64 * 3);
    await expect(writePyramid(path, half, options)).rejects.toThrow(/expected 128 rows .* got 64/);
    expect((await readdir(folder)).filter((name) => name.startsWith("short"))).toEqual([]);
  });

  test("replaces a file whole, and leaves nothing else beside it", async () => {
    const { path } = await write("again.tif", { width: 70, height: 70 });
    await write("again.tif", { width: 300, height: 70 });
    expect((await sharp(path).metadata()).width).toBe(300);
    expect((await readdir(folder)).filter((name) => name.startsWith("again"))).toEqual([
      "again.tif",
    ]);
    expect((await stat(path)).size).toBeGreaterThan(0);
  });

  test("stops when nobody wants it any more", async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(
      write("aborted.tif", { width: 64, height: 64 }, { signal: abort.signal }),
    ).rejects.toThrow(/abort/i);
  });

  test("refuses tiles that no TIFF may have", async () => {
    await expect(write("odd.tif", { width: 64, height: 64 }, { tile: 100 })).rejects.toThrow(
      /multiple of 16, got 100/,
    );
  });
});

test("directories beyond 4 GiB are those of a BigTIFF", () => {
  const level = { size: { width: 64, height: 64 }, offsets: [16], lengths: [100] };
  const near = layDirectories([level], { bands: 3, tile: 64 }, 1000);
  expect([...near.header]).toEqual([0x49, 0x49, 42, 0, 0xe8, 3, 0, 0]);
  const far = layDirectories([level], { bands: 3, tile: 64 }, 2 ** 32);
  expect([...far.header]).toEqual([0x49, 0x49, 43, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
  expect(new DataView(far.body.buffer, far.body.byteOffset).getBigUint64(0, true)).toBe(13n);
});
