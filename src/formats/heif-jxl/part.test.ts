import { describe, expect, test, vi } from "vitest";
import { reductionOf } from "../shared/box-reduction.ts";
import type { HeifJxlImage, HeifJxlPage, Tile } from "./contract.ts";
import { DecodedImages } from "./decoded-images.ts";
import { partOf } from "./part.ts";

const channels = 2;

/** Encoded pixels: positions across and down. */
const sample = (x: number, y: number): readonly number[] => [x, y];

interface Shape {
  readonly size: HeifJxlPage["size"];
  readonly tile: HeifJxlPage["size"];
  readonly offset?: { readonly x: number; readonly y: number };
}

const pictureOf = ({ size, tile, offset = { x: 0, y: 0 } }: Shape): HeifJxlImage => ({
  pages: [{ size, tile, orientation: 1, bits: 8, model: "grey", alpha: true, profile: undefined }],
  offset: () => offset,
  tile: vi.fn((_page: number, column: number, row: number): Tile => {
    const values = new Uint8Array(tile.width * tile.height * channels);
    for (let y = 0; y < tile.height; y++)
      for (let x = 0; x < tile.width; x++)
        values.set(
          sample(column * tile.width + x, row * tile.height + y),
          (y * tile.width + x) * channels,
        );
    return { values, depth: 8, channels, size: tile };
  }),
  close: vi.fn(),
});

const read = (picture: HeifJxlImage, region: Parameters<typeof reductionOf>[1], factor: number) => {
  const kept = new DecodedImages(2 ** 30);
  kept.set("a", picture, 1);
  const [page] = picture.pages;
  if (page === undefined) throw new Error("Expected a page");
  const reduction = reductionOf(page.size, region, factor);
  const pixels = partOf(picture, (tile) => kept.tile("a", tile), { page: 0, reduction });
  return { ...pixels, reduction };
};

describe("a part of a page", () => {
  test("is assembled from the tiles it touches", () => {
    const picture = pictureOf({ size: { width: 50, height: 40 }, tile: { width: 16, height: 16 } });
    const { values } = read(picture, { x: 10, y: 12, width: 30, height: 10 }, 1);
    const wanted = Array.from({ length: 300 }, (_, at) =>
      sample(10 + (at % 30), 12 + Math.floor(at / 30)),
    );
    expect([...values]).toEqual(wanted.flat());
    // Three columns of two rows.
    expect(picture.tile).toHaveBeenCalledTimes(6);
  });

  test("begins at the page's origin on its first tile", () => {
    const picture = pictureOf({
      size: { width: 20, height: 20 },
      tile: { width: 16, height: 16 },
      offset: { x: 5, y: 9 },
    });
    const { values } = read(picture, { x: 10, y: 0, width: 4, height: 1 }, 1);
    expect([...values]).toEqual([15, 9, 16, 9, 17, 9, 18, 9]);
  });

  test("is reduced by box averaging, with partial boxes at the edges", () => {
    const picture = pictureOf({ size: { width: 21, height: 20 }, tile: { width: 16, height: 16 } });
    const { values, reduction } = read(picture, { x: 13, y: 2, width: 8, height: 3 }, 4);
    expect(reduction.covers).toEqual({ x: 12, y: 0, width: 12, height: 8 });
    expect(reduction.size).toEqual({ width: 3, height: 2 });
    expect([...values]).toEqual([14, 2, 18, 2, 20, 2, 14, 6, 18, 6, 20, 6]);
  });

  test("is made of small cached tiles where it is reduced by much", () => {
    const size = { width: 120, height: 100 };
    const picture = pictureOf({ size, tile: { width: 32, height: 32 } });
    const whole = { x: 0, y: 0, ...size };
    const kept = new DecodedImages(2 ** 30);
    kept.set("a", picture, 1);
    for (const factor of [8, 16, 8]) {
      const reduction = reductionOf(size, whole, factor);
      const { values } = partOf(picture, (tile) => kept.tile("a", tile), { page: 0, reduction });
      expect(values).toHaveLength(reduction.size.width * reduction.size.height * channels);
      // The middle of the second box, a half rounded up.
      expect([...values.subarray(2, 4)]).toEqual([factor * 1.5, factor * 0.5]);
    }
    expect(picture.tile).toHaveBeenCalledTimes(16);
  });

  test("is refused where tiles have the wrong size or differ in kind", () => {
    const picture = pictureOf({ size: { width: 50, height: 40 }, tile: { width: 16, height: 16 } });
    const small: Tile = {
      values: new Uint8Array(2),
      depth: 8,
      channels: 2,
      size: { width: 1, height: 1 },
    };
    const reduction = reductionOf(
      { width: 50, height: 40 },
      { x: 0, y: 0, width: 40, height: 9 },
      1,
    );
    expect(() => partOf(picture, () => small, { page: 0, reduction })).toThrow("16 x 9 pixels");
    const other = (column: number): Tile => ({
      ...small,
      size: { width: 16, height: 16 },
      values: new Uint8Array(768),
      channels: column === 0 ? 2 : 3,
    });
    expect(() => partOf(picture, ({ column }) => other(column), { page: 0, reduction })).toThrow(
      "Expected all tiles of the grid to be alike",
    );
  });
});

test("images are evicted after a time without use", () => {
  const kept = new DecodedImages(2 ** 30);
  const shape = { size: { width: 4, height: 4 }, tile: { width: 4, height: 4 } };
  const pictures = Array.from({ length: 9 }, () => pictureOf(shape));
  for (const [index, picture] of pictures.entries()) {
    kept.set(`${index}`, picture, 1);
    kept.get("0");
  }
  expect(kept.get("0")).toBe(pictures[0]);
  expect(kept.get("1")).toBeUndefined();
  expect(pictures[1]?.close).toHaveBeenCalledOnce();
  kept.set("large", pictureOf(shape), 100_000_000);
  expect(kept.get("8")).toBeUndefined();
  expect(kept.get("large")).toBeDefined();
});
