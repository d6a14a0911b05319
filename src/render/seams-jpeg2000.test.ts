import { beforeAll, describe, expect, it } from "vitest";
import { type Drawable, drawn, planFor } from "../../test/drawing.ts";
import { jpeg2000File } from "../../test/jpeg2000-files.ts";
import { difference, type Pixels, pixelsOf } from "../../test/likeness.ts";
import { memoryReader } from "../../test/readers.ts";
import { fromTiles, reducedSize } from "../../test/seams.ts";
import { Config } from "../config/store.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/resources.ts";

const signal = new AbortController().signal;

/** A file through the server's own decoder. */
const drawableOf = async (name: string): Promise<Drawable> => {
  const { decoder } = await createCodecs(new Resources(new Config()))("jp2");
  if (decoder === undefined) throw new Error("Expected a decoder");
  const reader = memoryReader(await jpeg2000File(name));
  return {
    info: await decoder.info(reader, signal),
    decoder: { ...decoder, read: (_, ...wanted) => decoder.read(reader, ...wanted) },
  };
};

const tiled = (drawable: Drawable, factor: number, tile: number): Promise<Pixels> =>
  fromTiles(planFor(drawable).crop, { factor, tile }, async (wanted) =>
    pixelsOf(await drawn(drawable, wanted)),
  );

describe.each([
  // Sides of its levels are rounded down, since its image begins between two samples of each.
  ["tiles.jp2", "of tiles and an offset"],
  ["precincts.jp2", "of one tile, lossy"],
  ["blocks.j2c", "of one tile, in high throughput"],
])("tiles of %s, %s, joined", (name) => {
  let drawable: Drawable;
  beforeAll(async () => {
    drawable = await drawableOf(name);
  });

  it.each([1, 2, 4, 8, 16])("equal the whole image at 1/%i, pixel for pixel", async (factor) => {
    const { crop } = planFor(drawable);
    const whole = await pixelsOf(await drawn(drawable, { size: reducedSize(crop, factor) }));
    const tiles = await tiled(drawable, factor, 64);
    const { max } = difference(tiles, whole);
    // Beyond the smallest level, resampling from another origin may round differently.
    expect(max).toBeLessThanOrEqual(factor > 8 ? 1 : 0);
  });

  it.each([3, 5])("equal the whole image at 1/%i, which no level divides", async (factor) => {
    const { crop } = planFor(drawable);
    const whole = await pixelsOf(await drawn(drawable, { size: reducedSize(crop, factor) }));
    const tiles = await tiled(drawable, factor, 64);
    expect(difference(tiles, whole).mean).toBeLessThan(1.5);
  });
});
