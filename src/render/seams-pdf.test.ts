import { beforeAll, describe, expect, it } from "vitest";
import { type Drawable, drawn, planFor } from "../../test/drawing.ts";
import { assemble, difference, type Pixels, pixelsOf } from "../../test/likeness.ts";
import { drawnPage, type PdfPage, pdfOf, writtenPage } from "../../test/pdf.ts";
import { memoryReader } from "../../test/readers.ts";
import { Config } from "../config/store.ts";
import type { Size } from "../core/geometry.ts";
import { createCodecs } from "../formats/index.ts";
import { readingKeys } from "../formats/reading.ts";

const signal = new AbortController().signal;
const tile = 64;

const drawableOf = async (page: PdfPage): Promise<Drawable> => {
  const { decoder } = await createCodecs(new Config().view(readingKeys)).pdf();
  if (decoder === undefined) throw new Error("Expected a decoder");
  const reader = memoryReader(pdfOf([page]));
  return {
    info: await decoder.info(reader, signal),
    decoder: { ...decoder, read: (_, ...wanted) => decoder.read(reader, ...wanted) },
  };
};

const wholeAt = ({ width, height }: Size, factor: number): Size => ({
  width: Math.ceil(width / factor),
  height: Math.ceil(height / factor),
});

/** Draws all tiles of a scale factor as viewers ask for them, and puts them together. */
const fromTiles = async (drawable: Drawable, factor: number): Promise<Pixels> => {
  const { crop: page } = planFor(drawable);
  const whole = wholeAt(page, factor);
  const tiles: { readonly x: number; readonly y: number; readonly pixels: Pixels }[] = [];
  for (let y = 0; y < whole.height; y += tile)
    for (let x = 0; x < whole.width; x += tile) {
      const crop = {
        x: x * factor,
        y: y * factor,
        width: Math.min(tile * factor, page.width - x * factor),
        height: Math.min(tile * factor, page.height - y * factor),
      };
      const encoded = await drawn(drawable, { crop, size: wholeAt(crop, factor) });
      tiles.push({ x, y, pixels: await pixelsOf(encoded) });
    }
  return assemble(whole, tiles);
};

describe.each([
  // Single precision of places within a page, which are counted from the edge of what is drawn.
  ["lines and colours", drawnPage, { most: 4, mean: 0.01 }],
  // Letters stand on whole pixels, to which halves are rounded up or down.
  ["letters", writtenPage, { most: 255, mean: 0.8 }],
])("tiles of a page of %s, put together", (_, page, allowed) => {
  let drawable: Drawable;
  beforeAll(async () => {
    drawable = await drawableOf(page);
  });

  it.each([1, 2, 3, 4, 5, 8])("are the whole page at 1/%i", async (factor) => {
    const { crop } = planFor(drawable);
    const whole = await pixelsOf(await drawn(drawable, { size: wholeAt(crop, factor) }));
    const { most, mean } = difference(await fromTiles(drawable, factor), whole);
    expect(most).toBeLessThanOrEqual(allowed.most);
    expect(mean).toBeLessThan(allowed.mean);
  });
});
