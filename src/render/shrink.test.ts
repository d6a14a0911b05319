import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { type Drawable, drawn, testPicture, wholeFile } from "../../test/drawing.ts";
import { difference, type Pixels, pixelsOf } from "../../test/likeness.ts";
import type { Size } from "../core/geometry.ts";
import { wayOf } from "./shrink.ts";

const size = { width: 605, height: 806 };

const reducedTo = (factor: number): Size => ({
  width: Math.ceil(size.width / factor),
  height: Math.ceil(size.height / factor),
});

/** A file whose decoder allows reduced reading. */
const halving = (drawable: Drawable): Drawable => ({
  ...drawable,
  decoder: {
    ...drawable.decoder,
    read: async (...asked) => ({ ...(await drawable.decoder.read(...asked)), halves: true }),
  },
});

/** The same pixels in a file that no loader reduces by itself. */
const plainly = async (encoded: Uint8Array, alpha = false): Promise<Drawable> =>
  wholeFile(await sharp(encoded).png().toBuffer(), size, { colour: { alpha } });

const at = async (drawable: Drawable, factor: number): Promise<Pixels> =>
  pixelsOf(await drawn(drawable, { size: reducedTo(factor) }));

describe("an image reduced during decoding", () => {
  it.each([2, 3, 4, 5, 8, 11, 16])(
    "has the same position at 1/%i as when decoded whole, even for odd sides of a JPEG",
    async (factor) => {
      const encoded = await sharp(await testPicture(size))
        .jpeg({ quality: 95, chromaSubsampling: "4:4:4" })
        .toBuffer();
      const whole = await at(await plainly(encoded), factor);
      const reduced = await at(halving(wholeFile(encoded, size)), factor);
      expect(difference(reduced, whole).mean).toBeLessThan(1.5);
    },
  );

  it("shows nothing of what a WebP hides under transparency", async () => {
    const data = Buffer.alloc(size.width * size.height * 4);
    for (let n = 0; n < size.width * size.height; n++)
      data.set((n >> 2) % 2 === 0 ? [0, 255, 0, 0] : [255, 0, 0, 255], n * 4);
    const encoded = await sharp(data, { raw: { ...size, channels: 4 } })
      .webp({ lossless: true, exact: true })
      .toBuffer();
    const picture = wholeFile(encoded, size, { colour: { alpha: true } });
    const answer = await drawn(picture, { size: reducedTo(8) });
    const { data: pixels } = await pixelsOf(answer, { alpha: true });
    const green = pixels.filter((_, index) => index % 4 === 1 && (pixels[index + 2] ?? 0) > 0);
    expect(Math.max(...green)).toBeLessThan(8);
  });
});

describe("the decoding of a JPEG", () => {
  it.each<[string, Size, Size, ReturnType<typeof wayOf>]>([
    [
      "sides that an eighth divides",
      { width: 4608, height: 3456 },
      { width: 288, height: 216 },
      "direct",
    ],
    [
      "so little left over that nothing moves",
      { width: 4609, height: 3456 },
      { width: 200, height: 150 },
      "direct",
    ],
    [
      "no reduction to speak of",
      { width: 605, height: 806 },
      { width: 400, height: 533 },
      "direct",
    ],
    [
      "much left over by an eighth and little by a half",
      { width: 4615, height: 3463 },
      { width: 288, height: 216 },
      "two steps",
    ],
    [
      "an odd side at about a quarter",
      { width: 605, height: 806 },
      { width: 152, height: 202 },
      "whole",
    ],
  ])("depends on what would be dropped: %s", (_, from, to, way) => {
    expect(wayOf(from, to)).toBe(way);
  });
});
