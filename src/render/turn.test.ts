import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { drawn, testPicture, wholeFile } from "../../test/drawing.ts";
import { difference, type Pixels, partOf, pixelsOf } from "../../test/likeness.ts";
import { type Orientation, turned, upright } from "../core/geometry.ts";

const size = { width: 61, height: 40 };
const orientations: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];

/** Pixels rotated one by one, the slow and simple way. */
const moved = (pixels: Pixels, mirror: boolean, quarters: number): Pixels => {
  let now = mirror ? remap(pixels, "mirror") : pixels;
  for (let n = 0; n < quarters; n++) now = remap(now, "quarter");
  return now;
};

const remap = (from: Pixels, how: "mirror" | "quarter"): Pixels => {
  const { channels } = from;
  const { width, height } = how === "mirror" ? from : { width: from.height, height: from.width };
  const data = new Uint8Array(from.data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [fromX, fromY] = how === "mirror" ? [from.width - 1 - x, y] : [y, from.height - 1 - x];
      for (let c = 0; c < channels; c++)
        data[(y * width + x) * channels + c] =
          from.data[(fromY * from.width + fromX) * channels + c] ?? 0;
    }
  return { data, width, height, channels };
};

/** The page as stored whose upright form is the given image, as libvips interprets the tag. */
const uprightByTag = async (stored: Uint8Array, orientation: Orientation): Promise<Pixels> =>
  pixelsOf(
    await sharp(
      await sharp(stored).withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer(),
      { autoOrient: true },
    )
      .png()
      .toBuffer(),
  );

describe.each(orientations)("a page of Exif orientation %i", (orientation) => {
  const make = async () => wholeFile(await testPicture(size), size, { orientation });

  it("is upright as in every viewer", async () => {
    const shown = await pixelsOf(await drawn(await make()));
    const expected = await uprightByTag(await testPicture(size), orientation);
    expect(difference(shown, expected).mean).toBeLessThan(6);
  });

  it.each([false, true])("is mirrored (%s) before each quarter turn", async (mirror) => {
    const plain = await pixelsOf(await drawn(await make()));
    for (const quarters of [0, 1, 2, 3]) {
      const shown = await pixelsOf(await drawn(await make(), { mirror, rotation: quarters * 90 }));
      expect(difference(shown, moved(plain, mirror, quarters)).max).toBe(0);
    }
  });

  it("takes regions, scaled, mirrored and rotated, from where they are seen", async () => {
    const drawable = await make();
    const page = upright(size, orientation);
    const half = { width: Math.ceil(page.width / 2), height: Math.ceil(page.height / 2) };
    const whole = await pixelsOf(await drawn(drawable, { size: half }));
    const crop = { x: 16, y: 8, width: 16, height: 24 };
    const tile = await drawn(drawable, {
      crop,
      size: { width: 8, height: 12 },
      mirror: true,
      rotation: 90,
    });
    const expected = moved(partOf(whole, { x: 8, y: 4, width: 8, height: 12 }), true, 1);
    expect(difference(await pixelsOf(tile), expected).max).toBe(0);
  });

  it.each([22.5, 45, 120, 300])(
    "is rotated by %i degrees after it is turned upright",
    async (rotation) => {
      const upper = await drawn(await make());
      const { width, height } = upright(size, orientation);
      const again = wholeFile(upper, { width, height });
      for (const mirror of [false, true]) {
        const changes = { mirror, rotation, format: "png" } as const;
        const shown = await pixelsOf(await drawn(await make(), changes), { alpha: true });
        const expected = await pixelsOf(await drawn(again, changes), { alpha: true });
        expect(difference(shown, expected).mean).toBeLessThan(0.5);
        expect({ width: shown.width, height: shown.height }).toEqual(
          turned({ width, height }, rotation),
        );
      }
    },
  );
});

describe("an image rotated by an arbitrary angle", () => {
  const square = { width: 100, height: 100 };
  const red = async () =>
    wholeFile(
      await sharp({ create: { ...square, channels: 3, background: "#c02010" } })
        .png()
        .toBuffer(),
      square,
    );
  const at = ({ data, width, channels }: Pixels, x: number, y: number): readonly number[] =>
    Array.from(data.subarray((y * width + x) * channels, (y * width + x + 1) * channels));

  it.each(["png", "webp", "tif", "gif", "avif"] as const)(
    "has transparent corners as %s",
    async (format) => {
      const shown = await pixelsOf(await drawn(await red(), { rotation: 45, format }), {
        alpha: true,
      });
      expect(at(shown, 2, 2)[3]).toBe(0);
      expect(at(shown, 70, 70)[3]).toBe(255);
    },
  );

  it("has corners of the background colour if the format has no transparency", async () => {
    const shown = await pixelsOf(
      await drawn(await red(), { rotation: 45, format: "jpg", background: [0, 200, 0] }),
    );
    const [r = 0, g = 0, b = 0] = at(shown, 4, 4);
    expect(Math.abs(r) + Math.abs(g - 200) + Math.abs(b)).toBeLessThan(24);
  });

  it("is rotated clockwise, its content unscaled", async () => {
    // Rotated by 80 degrees, a dot right of the centre moves below it and slightly to the right.
    const dot = Buffer.alloc(100 * 100 * 3);
    for (let y = 47; y < 53; y++)
      for (let x = 77; x < 83; x++) dot.fill(255, (y * 100 + x) * 3, (y * 100 + x) * 3 + 3);
    const file = await sharp(dot, { raw: { ...square, channels: 3 } })
      .png()
      .toBuffer();
    const shown = await pixelsOf(
      await drawn(wholeFile(file, square), { rotation: 80, format: "jpg", background: [0, 0, 0] }),
    );
    const { width, height } = turned(square, 80);
    const angle = (80 * Math.PI) / 180;
    const x = Math.round(width / 2 + 30 * Math.cos(angle) - 0.5);
    const y = Math.round(height / 2 + 30 * Math.sin(angle) - 0.5);
    expect(at(shown, x, y)[0]).toBeGreaterThan(200);
    expect(at(shown, x, height - 1 - y)[0]).toBeLessThan(30);
  });
});
