import { beforeAll, describe, expect, it } from "vitest";
import { type Drawable, drawn, planFor } from "../../test/drawing.ts";
import { difference, type Pixels, pixelsOf } from "../../test/likeness.ts";
import { drawnPage, type PdfPage, pdfOf, writtenPage } from "../../test/pdf.ts";
import { memoryReader } from "../../test/readers.ts";
import { fromTiles, reducedSize } from "../../test/seams.ts";
import { Config } from "../config/store.ts";
import { createCodecs } from "../formats/index.ts";
import { Resources } from "../formats/pool/resources.ts";

const signal = new AbortController().signal;
const tile = 64;

const drawableOf = async (page: PdfPage): Promise<Drawable> => {
  const { decoder } = await createCodecs(new Resources(new Config()))("pdf");
  if (decoder === undefined) throw new Error("Expected a decoder");
  const reader = memoryReader(pdfOf([page]));
  return {
    info: await decoder.info(reader, signal),
    decoder: { ...decoder, read: (_, ...wanted) => decoder.read(reader, ...wanted) },
  };
};

const tiled = (drawable: Drawable, factor: number): Promise<Pixels> =>
  fromTiles(planFor(drawable).crop, { factor, tile }, async (wanted) =>
    pixelsOf(await drawn(drawable, wanted)),
  );

describe.each([
  // Single precision of positions on a page, which are counted from the edge of the rendered part.
  ["lines and colours", drawnPage, { max: 4, mean: 0.01 }],
  // Glyphs are placed at whole pixels, and halves are rounded up or down.
  ["letters", writtenPage, { max: 255, mean: 0.8 }],
])("tiles of a page of %s, joined", (_, page, allowed) => {
  let drawable: Drawable;
  beforeAll(async () => {
    drawable = await drawableOf(page);
  });

  it.each([1, 2, 3, 4, 5, 8])("equal the whole page at 1/%i", async (factor) => {
    const { crop } = planFor(drawable);
    const whole = await pixelsOf(await drawn(drawable, { size: reducedSize(crop, factor) }));
    const { max, mean } = difference(await tiled(drawable, factor), whole);
    expect(max).toBeLessThanOrEqual(allowed.max);
    expect(mean).toBeLessThan(allowed.mean);
  });
});
