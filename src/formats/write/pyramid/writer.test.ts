import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { shorts } from "../../tiff/structure/index.ts";
import type { TileCompression } from "../index.ts";
import type { CarriedMetadata } from "./carried.ts";
import { directoryBytes, headerBytes, positions } from "./directories.ts";
import type { PyramidPlan } from "./finishing.ts";
import { newSamples } from "./samples.ts";
import { createTileEncoder } from "./tile-encoders.ts";
import { PyramidWriter } from "./writer.ts";

const nothing: CarriedMetadata = { image: [], exif: [], gps: [] };
const size = { width: 150, height: 83 };

/** A ramp to the right and one down, of 16 bits where requested. */
const rampOf = ({ samples, bits }: PyramidPlan["layout"]) => {
  const ramp = newSamples({ bits }, size.width * size.height * samples);
  for (let pixel = 0; pixel < size.width * size.height; pixel++)
    for (let n = 0; n < samples; n++) {
      const x = pixel % size.width;
      const y = Math.floor(pixel / size.width);
      const value = samples % 2 === 0 && n === samples - 1 ? 255 : x + y + n * 5;
      ramp[pixel * samples + n] = bits === 16 ? value * 257 + n : value;
    }
  return ramp;
};

const written = async (
  compression: TileCompression,
  changes: Partial<PyramidPlan> = {},
): Promise<{ readonly path: string; readonly samples: ReturnType<typeof rampOf> }> => {
  const plan: PyramidPlan = {
    size,
    layout: { samples: 3, bits: 8 },
    tile: 64,
    levels: "pages",
    ...changes,
  };
  const path = join(await temporaryFolder(), "a.tif");
  const file = await open(path, "wx");
  const encoder = await createTileEncoder(
    { compression, quality: 90, tile: plan.tile },
    plan.layout,
  );
  const writer = new PyramidWriter(file, plan, encoder);
  const samples = rampOf(plan.layout);
  const stride = size.width * plan.layout.samples;
  const { signal } = new AbortController();
  // In portions unrelated to tiles.
  for (let y = 0; y < size.height; y += 29)
    await writer.add(samples.slice(y * stride, (y + 29) * stride), signal);
  const length = await writer.finish({ metadata: nothing, profile: undefined });
  await file.close();
  expect((await readFile(path)).length).toBe(length);
  return { path, samples };
};

describe("a pyramid", () => {
  it.each(["deflate", "lzw", "none"] as const)(
    "preserves the samples exactly in %s",
    async (compression) => {
      const { path, samples } = await written(compression);
      const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true });
      expect(info).toMatchObject({ ...size, channels: 3 });
      expect(Buffer.compare(data, Buffer.from(samples.buffer))).toBe(0);
    },
  );

  it("preserves 16 bits and alpha", async () => {
    const { path } = await written("deflate", { layout: { samples: 4, bits: 16 } });
    expect(await sharp(path).metadata()).toMatchObject({ depth: "ushort", hasAlpha: true });
  });

  it("has a page for each halved level, down to a single tile", async () => {
    const { path } = await written("jpeg");
    const sizes = [];
    for (const page of [0, 1, 2]) {
      const { width, height, pages } = await sharp(path, { page }).metadata();
      sizes.push([width, height, pages]);
    }
    expect(sizes).toEqual([
      [150, 83, 3],
      [75, 42, 3],
      [38, 21, 3],
    ]);
  });

  it("stores reduced levels below the first page as SubIFDs", async () => {
    const { path } = await written("webp", { levels: "subifds" });
    expect(await sharp(path).metadata()).toMatchObject({ ...size, subifds: 2 });
    expect(await sharp(path, { subifd: 1 }).metadata()).toMatchObject({ width: 38, height: 21 });
  });

  it("rejects closing before all rows are written", async () => {
    const file = { write: async () => ({ bytesWritten: 1, buffer: Buffer.alloc(0) }) };
    const plan: PyramidPlan = {
      size,
      layout: { samples: 1, bits: 8 },
      tile: 64,
      levels: "pages",
    };
    const encoder = await createTileEncoder(
      { compression: "none", quality: 80, tile: 64 },
      plan.layout,
    );
    const writer = new PyramidWriter(file as never, plan, encoder);
    await expect(writer.finish({ metadata: nothing, profile: undefined })).rejects.toThrow(
      "Expected 83 rows of a level, got 0",
    );
  });
});

describe("a TIFF directory", () => {
  it("has its fields in order, and long values after them", () => {
    const fields = [positions(324, [5, 6], { big: false }), shorts(256, 7)];
    const { bytes, link } = directoryBytes(fields, { at: 100, big: false });
    const view = new DataView(bytes.buffer);
    expect([view.getUint16(0, true), view.getUint16(2, true), view.getUint16(14, true)]).toEqual([
      2, 256, 324,
    ]);
    expect(view.getUint32(22, true)).toBe(100 + link + 4);
    expect(view.getUint32(link + 4, true)).toBe(5);
  });

  it("has 64-bit offsets in a BigTIFF", () => {
    const far = 2 ** 33;
    const { bytes } = directoryBytes([positions(324, [far], { big: true })], {
      at: far,
      big: true,
    });
    const view = new DataView(bytes.buffer);
    expect([view.getBigUint64(0, true), view.getUint16(10, true)]).toEqual([1n, 16]);
    expect(view.getBigUint64(20, true)).toBe(BigInt(far));
    expect(Buffer.from(headerBytes(far, { big: true })).toString("hex")).toBe(
      "49492b00080000000000000002000000",
    );
  });
});
