import { describe, expect, test } from "vitest";
import { tiffBombs } from "../../../../test/malformed/bombs/tiff.ts";
import { plan } from "../../../../test/plans.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { Config } from "../../../config/store.ts";
import type { Rect } from "../../../core/geometry.ts";
import { decodingKeys } from "../../shared/keys.ts";
import { createTiffDecoder } from "../decoder.ts";

const signal = new AbortController().signal;
const decoder = createTiffDecoder(new Config().view(decodingKeys));

const bomb = async (name: string): Promise<Uint8Array> => {
  const found = tiffBombs.find((one) => one.name === name);
  if (found === undefined) throw new Error(`Expected a bomb ${name}`);
  return new Uint8Array(await found.make());
};

describe("a TIFF with more pixels than the limit", () => {
  test.each(["tiff-one-strip-group4.tif", "tiff-one-strip-packbits.tif"])(
    "is rejected on opening when it is a single strip: %s",
    async (name) => {
      await expect(decoder.info(memoryReader(await bomb(name)), signal)).rejects.toMatchObject({
        failure: "unreadable",
        message:
          "Expected a TIFF with tiles or strips of at most 1000000000 pixels; this one has some of 3600000000.",
      });
    },
  );

  test("is read in regions up to the limit when it has many strips", async () => {
    const reader = memoryReader(await bomb("tiff-strips-group4.tif"));
    const info = await decoder.info(reader, signal);
    const read = (region: Rect) =>
      decoder.read(
        reader,
        info,
        { page: 0, region, atLeast: { width: 500, height: 500 } },
        plan,
        signal,
      );
    await expect(read({ x: 0, y: 0, width: 65_000, height: 65_000 })).rejects.toThrow(
      "Expected a region of a TIFF of at most 1000000000 pixels; this one has 4225000000.",
    );
    const { image } = await read({ x: 0, y: 0, width: 500, height: 500 });
    const { data } = await image.raw().toBuffer({ resolveWithObject: true });
    expect(data.every((value) => value === 255)).toBe(true);
  });
});

test("a TIFF with too many tiny tiles or strips is rejected on opening", async () => {
  for (const [name, parts] of [
    ["tiff-tiles-of-a-pixel.tif", "1 x 1 pixels in the TIFF, not 1000000"],
    ["tiff-tiles-of-16.tif", "16 x 16 pixels in the TIFF, not 1000000"],
    ["tiff-strips-of-a-pixel.tif", "1 x 1 pixels in the TIFF, not 1000000"],
  ] as const)
    await expect(decoder.info(memoryReader(await bomb(name)), signal)).rejects.toThrow(parts);
});
