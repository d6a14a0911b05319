import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { amount } from "../../test/amount.ts";
import {
  type Drawable,
  drawn,
  planFor,
  pyramid,
  testPicture,
  wholeFile,
} from "../../test/drawing.ts";
import {
  assemble,
  difference,
  lineExcess,
  type Pixels,
  partOf,
  pixelsOf,
} from "../../test/likeness.ts";
import { fromTiles, reducedSize } from "../../test/seams.ts";
import type { Size } from "../core/geometry.ts";
import type { Plan } from "../core/plan.ts";

const tiled = (
  drawable: Drawable,
  scale: { readonly factor: number; readonly tile: number },
  changes: Partial<Plan> = {},
): Promise<Pixels> =>
  fromTiles(planFor(drawable).crop, scale, async (wanted) =>
    pixelsOf(await drawn(drawable, { ...wanted, ...changes })),
  );

const sizes: readonly Size[] = [
  { width: 1001, height: 777 },
  { width: 4097, height: 3001 },
];

describe.each(sizes.slice(0, amount(sizes.length)))(
  "tiles of an image of $width x $height, joined",
  (size) => {
    const file = testPicture(size);
    const tile = size.width > 2000 ? 512 : 256;

    it.each([1, 2, 3, 4, 8])(
      "equal the whole image at 1/%i, pixel for pixel, from a file read as a whole",
      async (factor) => {
        const drawable = wholeFile(await file, size);
        const whole = await pixelsOf(await drawn(drawable, { size: reducedSize(size, factor) }));
        const tiles = await tiled(drawable, { factor, tile });
        expect(difference(tiles, whole)).toEqual({ mean: 0, max: 0 });
      },
      60_000,
    );

    it.each(["up", "down"] as const)(
      "equal the whole image at every factor from a pyramid whose sides are rounded %s",
      async (rounds) => {
        const drawable = await pyramid(await file, size, { levels: 3, rounds, tile: 256 });
        for (const factor of [1, 2, 4, 8, 16]) {
          const whole = await pixelsOf(await drawn(drawable, { size: reducedSize(size, factor) }));
          const tiles = await tiled(drawable, { factor, tile });
          const { mean, max } = difference(tiles, whole);
          // Resampling the same pixels from another origin may round differently.
          expect(max).toBeLessThanOrEqual(1);
          expect(mean).toBeLessThan(0.01);
          if (factor <= 4) expect(max).toBe(0);
        }
      },
      60_000,
    );
  },
);

describe("tiles of a pyramid", () => {
  const size = { width: 1001, height: 777 };

  it("match the whole image, without seams, at factors that no level divides", async () => {
    const drawable = await pyramid(await testPicture(size), size, {
      levels: 3,
      rounds: "down",
      tile: 256,
    });
    for (const factor of [3, 5, 6]) {
      const whole = await pixelsOf(await drawn(drawable, { size: reducedSize(size, factor) }));
      const tiles = await tiled(drawable, { factor, tile: 64 });
      expect(difference(tiles, whole).mean).toBeLessThan(1.5);
      expect(lineExcess(tiles, whole, 64)).toBeLessThan(1);
    }
  });

  it.each([
    { width: 1024, height: 768, factors: [1, 2, 3, 4, 8], max: 1.5 },
    // Sides that no factor divides are rounded up: levels use whole factors, a file that is read
    // whole is scaled slightly larger, and the two differ by up to a pixel at the far edges.
    { width: 1001, height: 777, factors: [1, 2, 3, 4], max: 2 },
  ])(
    "of $width x $height have the same position as from a file read as a whole",
    async ({ factors, max, ...page }) => {
      const soft = await sharp(await testPicture(page))
        .blur(8)
        .tiff({ compression: "none" })
        .toBuffer();
      for (const rounds of ["up", "down"] as const) {
        const drawable = await pyramid(soft, page, { levels: 3, rounds, tile: 64 });
        for (const factor of factors) {
          const flat = await drawn(wholeFile(soft, page), { size: reducedSize(page, factor) });
          const tiles = await tiled(drawable, { factor, tile: 64 });
          expect(difference(tiles, await pixelsOf(flat)).mean).toBeLessThan(max);
        }
      }
    },
  );

  it("are a level's own pixels at exactly its factor", async () => {
    const drawable = await pyramid(await testPicture(size), size, {
      levels: 2,
      rounds: "up",
      tile: 64,
    });
    const halved = await pixelsOf(await drawn(drawable, { size: reducedSize(size, 2) }));
    const full = await pixelsOf(await drawn(drawable));
    const at = (x: number, y: number) => full.data[(y * full.width + x) * 3] ?? 0;
    for (const [x, y] of [
      [0, 0],
      [63, 64],
      [499, 387],
    ] as const) {
      const sum = at(2 * x, 2 * y) + at(2 * x + 1, 2 * y) + at(2 * x, 2 * y + 1);
      const mean = Math.floor((sum + at(2 * x + 1, 2 * y + 1)) / 4 + 0.5);
      expect(halved.data[(y * halved.width + x) * 3]).toBe(mean);
    }
  });

  it.each([2, 3, 6, 8] as const)(
    "of a page of orientation %i equal the whole page upright when joined",
    async (orientation) => {
      const drawable = await pyramid(await testPicture(size), size, {
        levels: 2,
        rounds: "down",
        tile: 64,
        orientation,
      });
      const { crop } = planFor(drawable);
      for (const factor of [1, 2, 4]) {
        const whole = await pixelsOf(await drawn(drawable, { size: reducedSize(crop, factor) }));
        const tiles = await tiled(drawable, { factor, tile: 128 });
        expect({ factor, ...difference(tiles, whole) }).toEqual({ factor, mean: 0, max: 0 });
      }
    },
    60_000,
  );

  it.each(["up", "down"] as const)(
    "cover the page to its far edge at factors beyond the smallest level, sides rounded %s",
    async (rounds) => {
      // Blurred, so that positions are compared rather than averaging.
      const file = await sharp(await testPicture(size))
        .blur(12)
        .png()
        .toBuffer();
      const drawable = await pyramid(file, size, { levels: 2, rounds, tile: 64 });
      for (const factor of [4, 8, 16]) {
        const { width, height } = reducedSize(size, factor);
        const together = await tiled(drawable, { factor, tile: 128 });
        const once = await pixelsOf(
          await sharp(file).resize(width, height, { fit: "fill", kernel: "cubic" }).toBuffer(),
        );
        expect(difference(together, once).mean).toBeLessThan(1.5);
      }
    },
  );

  it("agree when sharpened", async () => {
    const drawable = await pyramid(await testPicture(size), size, {
      levels: 2,
      rounds: "up",
      tile: 64,
    });
    for (const factor of [1, 2, 4]) {
      const changes = { sharpen: 1 };
      const whole = await pixelsOf(
        await drawn(drawable, { size: reducedSize(size, factor), ...changes }),
      );
      const plain = await pixelsOf(await drawn(drawable, { size: reducedSize(size, factor) }));
      const tiles = await tiled(drawable, { factor, tile: 128 }, changes);
      expect(difference(tiles, whole).max).toBeLessThanOrEqual(1);
      expect(difference(plain, whole).mean).toBeGreaterThan(0.2);
    }
  });

  it("agree when bitonal or grey", async () => {
    const drawable = wholeFile(await testPicture(size), size);
    for (const quality of ["bitonal", "gray"] as const) {
      const whole = await pixelsOf(await drawn(drawable, { size: reducedSize(size, 2), quality }));
      const tiles = await tiled(drawable, { factor: 2, tile: 128 }, { quality });
      expect(difference(tiles, whole)).toEqual({ mean: 0, max: 0 });
    }
  });
});

describe("regions off the grid", () => {
  const size = { width: 1001, height: 777 };

  it("are enlarged without seams", async () => {
    for (const drawable of [
      wholeFile(await testPicture(size), size),
      await pyramid(await testPicture(size), size, { levels: 2, rounds: "up", tile: 64 }),
    ]) {
      const crop = { x: 100, y: 60, width: 200, height: 160 };
      const whole = await pixelsOf(
        await drawn(drawable, { crop, size: { width: 500, height: 400 } }),
      );
      const tiles: { readonly x: number; readonly y: number; readonly pixels: Pixels }[] = [];
      for (let y = 0; y < 4; y++)
        for (let x = 0; x < 5; x++) {
          const part = { x: 100 + x * 40, y: 60 + y * 40, width: 40, height: 40 };
          const encoded = await drawn(drawable, { crop: part, size: { width: 100, height: 100 } });
          tiles.push({ x: x * 100, y: y * 100, pixels: await pixelsOf(encoded) });
        }
      const together = assemble({ width: 500, height: 400 }, tiles);
      expect(difference(together, whole).mean).toBeLessThan(0.5);
      expect(lineExcess(together, whole, 100)).toBeLessThan(0.5);
    }
  });

  it("have the same position as in the whole image", async () => {
    const drawable = wholeFile(await testPicture(size), size);
    const whole = await pixelsOf(await drawn(drawable, { size: { width: 286, height: 222 } }));
    const crop = { x: 347, y: 119, width: 350, height: 287 };
    const part = await pixelsOf(await drawn(drawable, { crop, size: { width: 100, height: 82 } }));
    expect(
      difference(part, partOf(whole, { x: 99, y: 34, width: 100, height: 82 })).mean,
    ).toBeLessThan(3);
  });
});
