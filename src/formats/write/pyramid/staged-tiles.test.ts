import { truncate } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { StagedTiles } from "./staged-tiles.ts";

const size = { width: 7, height: 5 };
const form = { size, samples: 3, tile: 4 };
const pixels = Uint8Array.from({ length: size.width * size.height * 3 }, (_, at) => at);

const staged = async (): Promise<string> => {
  const path = join(await temporaryFolder(), "a.v");
  await sharp(pixels, { raw: { ...size, channels: 3 } }).toFile(path);
  return path;
};

/** The pixels of a tile; those beyond the image are the last ones inside. */
const expected = (left: number, top: number): readonly number[] => {
  const found: number[] = [];
  for (let y = top; y < top + 4; y++)
    for (let x = left; x < left + 4; x++) {
      const at = Math.min(y, size.height - 1) * size.width + Math.min(x, size.width - 1);
      found.push(...pixels.subarray(at * 3, at * 3 + 3));
    }
  return found;
};

it.each([
  ["complete rows", undefined, 2],
  ["one tile at a time", 1, 1],
])("reads and copies the tiles of a staged image: %s", async (_, maxBytes, atOnce) => {
  const tiles = await StagedTiles.open(await staged(), form, maxBytes);
  expect(tiles.atOnce).toBe(atOnce);
  try {
    for (const row of [0, 1])
      for (const column of [0, 1]) {
        if (column % atOnce === 0) await tiles.read(row, column);
        const tile = new Uint8Array(4 * 4 * 3);
        tiles.copy(column, tile);
        expect([...tile]).toEqual(expected(column * 4, row * 4));
      }
  } finally {
    await tiles.close();
  }
});

it("rejects an image of another form, or one that is cut off", async () => {
  const path = await staged();
  await expect(StagedTiles.open(path, { ...form, samples: 1 })).rejects.toThrow(
    "Expected a staged image of 7 x 5 pixels of 1 samples, got 7 x 5 of 3.",
  );
  await truncate(path, 64 + 30);
  const tiles = await StagedTiles.open(path, form);
  await expect(tiles.read(0, 0)).rejects.toThrow("Expected 84 bytes of a staged image, got 30.");
  await tiles.close();
});
