import { open } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Plan } from "../../../core/plan.ts";
import type { TileCompression } from "../index.ts";
import { levelSizes, type PyramidPlan } from "./finishing.ts";
import { createTileEncoder } from "./tile-encoders.ts";
import { layingEncoder, stagedImage, writeVipsPyramid } from "./vips-pyramid.ts";
import { PyramidWriter } from "./writer.ts";

const size = { width: 301, height: 203 };
const tile = 64;
const extras = { metadata: { image: [], exif: [], gps: [] }, profile: undefined };
const { signal } = new AbortController();

/** Waves and a border of one pixel, so that a lost column or row shows. */
const drawn = (samples: 1 | 3): Uint8Array => {
  const { width, height } = size;
  const pixels = new Uint8Array(width * height * samples);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let n = 0; n < samples; n++)
        pixels[(y * width + x) * samples + n] =
          x === width - 1 || y === height - 1
            ? 250
            : 100 + 60 * Math.sin(x / 9 + n) * Math.cos(y / 7);
  return pixels;
};

/** The pyramids of the same pixels by libvips and by the row writer. */
const bothWays = async (
  compression: TileCompression,
  { samples = 3, levels = "pages" }: { samples?: 1 | 3; levels?: PyramidPlan["levels"] } = {},
) => {
  const folder = await temporaryFolder();
  const [byLibvips, byRows, aside] = ["a.tif", "b.tif", "c"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const pixels = drawn(samples);
  const encoding = { compression, quality: 80, tile, levels };
  const image = sharp(pixels, { raw: { ...size, channels: samples } });
  await layingEncoder(aside, size, { tile }).encode(
    image.toColourspace(samples === 1 ? "b-w" : "srgb"),
    {} as Plan,
    signal,
  );
  const one = await open(byLibvips, "wx");
  const plan = { ...encoding, size, extras };
  const length = await writeVipsPyramid(
    await stagedImage(aside),
    { file: one, path: byLibvips },
    plan,
  );
  expect((await one.stat()).size).toBe(length);
  await one.close();
  const other = await open(byRows, "wx");
  const layout = { samples, bits: 8 } as const;
  const encoder = await createTileEncoder(encoding, layout);
  const writer = new PyramidWriter(other, { size, layout, tile, levels }, encoder);
  await writer.add(pixels, signal);
  await writer.finish(extras);
  await other.close();
  return { byLibvips, byRows };
};

const differenceOf = async (one: string, other: string, page: number) => {
  const [a, b] = await Promise.all(
    [one, other].map((path) => sharp(path, { page }).raw().toBuffer({ resolveWithObject: true })),
  );
  expect(a?.info).toEqual(b?.info);
  const differences = (a?.data ?? Buffer.alloc(0)).map((value, at) =>
    Math.abs(value - (b?.data[at] ?? 0)),
  );
  return {
    max: differences.reduce((x, y) => Math.max(x, y), 0),
    mean: differences.reduce((x, y) => x + y, 0) / differences.length,
  };
};

it.each(["deflate", "lzw", "none"] as const)(
  "libvips and the row-based writer make the same levels in %s, odd edges included",
  async (compression) => {
    const { byLibvips, byRows } = await bothWays(compression);
    const sizes = levelSizes({ size, tile });
    expect(await sharp(byLibvips).metadata()).toMatchObject({ ...size, pages: sizes.length });
    expect(await differenceOf(byLibvips, byRows, 0)).toEqual({ max: 0, mean: 0 });
    for (let page = 1; page < sizes.length; page++) {
      expect(await sharp(byLibvips, { page }).metadata()).toMatchObject({ ...sizes[page] });
      // Both round means at each level, not always alike.
      expect((await differenceOf(byLibvips, byRows, page)).max).toBeLessThan(3);
    }
  },
);

it.each([1, 3] as const)("both writers make the same JPEG tiles of %i samples", async (samples) => {
  const { byLibvips, byRows } = await bothWays("jpeg", { samples, levels: "subifds" });
  expect(await sharp(byLibvips).metadata()).toMatchObject({
    ...size,
    subifds: 3,
    channels: samples,
  });
  // The values beyond the edges, which JPEG mixes into their blocks, differ.
  expect((await differenceOf(byLibvips, byRows, 0)).mean).toBeLessThan(0.5);
});
