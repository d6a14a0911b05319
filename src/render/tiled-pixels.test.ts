import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { testPicture } from "../../test/drawing.ts";
import { partOfTiled } from "./tiled-pixels.ts";

const size = { width: 701, height: 403 };
const part = { x: 250, y: 130, width: 300, height: 273 };
const tiles = { tile: true, tileWidth: 256, tileHeight: 256 } as const;
const plain = { compression: "none", predictor: "none", ...tiles } as const;

describe("a part of a tiled TIFF in memory", () => {
  it("has the pixels of the image", async () => {
    const picture = sharp(await testPicture(size)).removeAlpha();
    for (const space of ["srgb", "b-w"]) {
      const image = sharp(await picture.clone().toColourspace(space).png().toBuffer());
      const file = await image.clone().toColourspace(space).tiff(plain).toBuffer();
      const found = partOfTiled(file, part);
      const { x: left, y: top, width, height } = part;
      const expected = image.clone().extract({ left, top, width, height }).toColourspace(space);
      const { data, info } = await expected.raw().toBuffer({ resolveWithObject: true });
      expect(found?.samples).toBe(info.channels);
      expect(found?.size).toEqual({ width, height });
      expect(found?.profile).toBeUndefined();
      expect(Buffer.compare(found?.bytes ?? Buffer.alloc(0), data)).toBe(0);
    }
  });

  it("has the profile of the image", async () => {
    const image = sharp(await testPicture(size))
      .removeAlpha()
      .withIccProfile("p3");
    const file = await image.tiff(plain).toBuffer();
    const { icc } = await sharp(file).metadata();
    expect(icc).toBeDefined();
    expect(Buffer.compare(partOfTiled(file, part)?.profile ?? Buffer.alloc(0), icc as Buffer)).toBe(
      0,
    );
  });

  it("is left to others with 16 bits, or transparency", async () => {
    const image = sharp(await testPicture(size));
    const deep = await image.clone().removeAlpha().toColourspace("rgb16").tiff(plain).toBuffer();
    const clear = await image.clone().ensureAlpha(0.5).tiff(plain).toBuffer();
    expect(partOfTiled(deep, part)).toBeUndefined();
    expect(partOfTiled(clear, part)).toBeUndefined();
  });

  it("is refused where the file is compressed", async () => {
    const file = await sharp(await testPicture(size))
      .tiff({ compression: "lzw", ...tiles })
      .toBuffer();
    expect(() => partOfTiled(file, part)).toThrow("Expected an uncompressed TIFF in tiles.");
  });
});
