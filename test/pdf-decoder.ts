import { expect } from "vitest";
import { Config } from "../src/config/store.ts";
import type { RangeReader } from "../src/core/range-reader.ts";
import { createCodecs } from "../src/formats/index.ts";
import { Resources } from "../src/formats/pool/resources.ts";
import type { Raster, Window } from "../src/formats/shared/codec.ts";
import { type PdfPage, pdfOf, rectangle, streamOf } from "./pdf.ts";
import { plan } from "./plans.ts";
import { memoryReader } from "./readers.ts";

const { signal } = new AbortController();

/** A decoder of PDFs, with threads of its own, at 72 pixels per inch. */
export const decoderFor = async (limits: Readonly<Record<string, unknown>> = {}) => {
  const config = new Config({ "processor.dpi": 72, ...limits });
  const { decoder } = await createCodecs(new Resources(config))("pdf");
  if (decoder === undefined) throw new Error("Expected a decoder");
  return decoder;
};
export type Ready = Awaited<ReturnType<typeof decoderFor>>;

/** A document's info, and a function that reads its pages, whole unless a window is given. */
export const openedBy = async (decoder: Ready, reader: RangeReader) => {
  const info = await decoder.info(reader, signal);
  const read = (window: Partial<Window> = {}, until = signal): Promise<Raster> => {
    const { size } = info.pages[window.page ?? 0] ?? info.pages[0];
    const region = window.region ?? { x: 0, y: 0, ...size };
    return decoder.read(reader, info, { page: 0, region, atLeast: region, ...window }, plan, until);
  };
  return { info, read };
};

let usual: Promise<Ready> | undefined;

/**
 * A document, opened by a decoder that a test file starts once, or by a new one where it has
 * limits.
 */
export const opened = async (document: Buffer, limits?: Readonly<Record<string, unknown>>) => {
  usual ??= decoderFor();
  return openedBy(await (limits ? decoderFor(limits) : usual), memoryReader(document));
};

/** The colours of a raster at some of its pixels. */
export const coloursAt = async (
  { image, size }: Raster,
  ...places: readonly [number, number][]
) => {
  const data = await image.raw().toBuffer();
  expect(data).toHaveLength(size.width * size.height * 3);
  return places.map(([x, y]) => [...data.subarray((y * size.width + x) * 3).subarray(0, 3)]);
};

export const red = [255, 0, 0];

/** Red at the top left and blue at the bottom right, on paper. */
export const corners: PdfPage = {
  content: rectangle("1 0 0", 0, 60, 30, 30) + rectangle("0 0 1", 90, 0, 30, 30),
};

/** A page that takes PDFium hours. */
export const endless = (): Buffer => {
  const cell =
    "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep 0.00001/YStep 0.00001/Resources<<>>";
  const entries = "/Resources<</Pattern<</P 3 0 R>>>>";
  const content = "/Pattern cs /P scn 0 0 100 100 re f";
  return pdfOf([{ entries, content }], { objects: [streamOf("0 0 1 1 re f", cell)] });
};
