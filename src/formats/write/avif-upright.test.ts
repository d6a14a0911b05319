import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { testPicture } from "../../../test/drawing.ts";
import { difference, pixelsOf } from "../../../test/likeness.ts";
import { setUprightAvif } from "./avif-upright.ts";

const size = { width: 90, height: 61 };

const avif = async (orientation: number | undefined): Promise<Buffer> => {
  const opaque = await testPicture(size);
  // Transparency is an item of its own with its own rotation.
  const clear = await sharp(opaque).ensureAlpha(0.5).png().toBuffer();
  const image = sharp(clear).withExif({ IFD0: { Artist: "Vitrine" } });
  return (orientation === undefined ? image : image.withMetadata({ orientation }))
    .avif({ quality: 90, effort: 0 })
    .toBuffer();
};

describe("an AVIF set upright", () => {
  it.each([2, 3, 4, 5, 6, 7, 8])(
    "keeps stored pixels, transparency and metadata for orientation %s",
    async (orientation) => {
      const turned = await avif(orientation);
      expect(turned.toString("latin1")).toMatch(/irot|imir/);
      const upright = setUprightAvif(turned);
      expect(upright.toString("latin1")).not.toMatch(/irot|imir/);
      expect(upright.length).toBe(turned.length);
      const plain = await pixelsOf(await avif(undefined), { alpha: true });
      expect(difference(await pixelsOf(upright, { alpha: true }), plain).max).toBe(0);
      expect((await sharp(upright).metadata()).exif?.toString("latin1")).toContain("Vitrine");
      expect(setUprightAvif(upright)).toBe(upright);
    },
  );

  it("is unchanged when it is not rotated or mirrored", async () => {
    const plain = await avif(undefined);
    expect(setUprightAvif(plain)).toBe(plain);
  });

  it("requires a valid AVIF", async () => {
    const plain = await avif(6);
    expect(() => setUprightAvif(Buffer.from("no boxes at all"))).toThrow("Expected a box");
    expect(() => setUprightAvif(plain.subarray(0, 28))).toThrow("box 'meta'");
  });
});
