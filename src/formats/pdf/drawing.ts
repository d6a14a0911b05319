import type { Rect, Size } from "../../core/geometry.ts";
import type { LoadedPage } from "./documents.ts";
import type { Engine } from "./engine.ts";
import { type DrawnPart, type DrawWhole, samples } from "./page-rasters.ts";

/** The part of a page to render. */
interface Drawn {
  /** The scaled size of the whole page in pixels. */
  readonly whole: Size;
  /** In pixels of that. */
  readonly region: Rect;
}

/** Renders part of a page, or all of it where requested. */
export const drawPart = (
  engine: Engine,
  page: LoadedPage,
  { whole, region, instead }: Drawn & { readonly instead: DrawWhole },
): DrawnPart => {
  const start = performance.now();
  const isWhole =
    instead === "always" || (instead === "if pictures" && hasPictures(engine, page.handle));
  const all = { x: 0, y: 0, ...whole };
  const pixels = drawPage(engine, page, { whole, region: isWhole ? all : region });
  return { pixels, isWhole, ms: performance.now() - start };
};

/** Whether images make a page slow, judged by the first of its objects. */
const hasPictures = ({ pdfium, borrow, view }: Engine, page: number): boolean => {
  const count = Math.min(pdfium._FPDFPage_CountObjects(page), maxObjects);
  return borrow(sizeBytes, (address) => {
    let pixels = 0;
    for (let number = 0; number < count; number++) {
      const object = pdfium._FPDFPage_GetObject(page, number);
      if (pdfium._FPDFPageObj_GetType(object) !== imageObject) continue;
      if (pdfium._FPDFImageObj_GetImagePixelSize(object, address, address + 4) === 0) continue;
      const size = view(address, sizeBytes);
      pixels += size.getUint32(0, true) * size.getUint32(4, true);
    }
    return pixels > slowPixels;
  });
};

/** Scans have few objects, or many of text behind the image. */
const maxObjects = 64;
/** FPDF_PAGEOBJ_IMAGE. */
const imageObject = 3;
/** Two numbers of 32 bits. */
const sizeBytes = 8;
/** Pixels that take PDFium about ten milliseconds to decode. */
const slowPixels = 500_000;

/**
 * Renders part of a page on white: red, green and blue, row by row. Annotations and fields are
 * rendered with their appearance.
 */
const drawPage = (engine: Engine, page: LoadedPage, { whole, region }: Drawn): Uint8Array => {
  const { width, height } = region;
  const pixels = new Uint8Array(width * height * samples);
  const rows = Math.max(1, Math.floor(pixelsPerIteration / width));
  for (let row = 0; row < height; row += rows) {
    const band = { ...region, y: region.y + row, height: Math.min(rows, height - row) };
    drawBand(engine, page, { whole, region: band }, pixels.subarray(row * width * samples));
  }
  return pixels;
};

/** Larger parts are rendered in bands, to limit PDFium's memory. */
const pixelsPerIteration = 4_194_304;

/** FPDFBitmap_BGR, which FPDF_REVERSE_BYTE_ORDER makes RGB; FPDF_ANNOT, which omits form fields. */
const bitmapFormat = 2;
const inRgb = 0x10;
const withAnnotations = 0x01;

const white = 0xff_ff_ff_ff;

/**
 * Margin in pixels around the requested part, where the page has it: PDFium clips lines and curves
 * at the edge of its output, and the pixels beside it then differ slightly.
 */
const apron = 16;

const drawBand = ({ pdfium }: Engine, page: LoadedPage, drawn: Drawn, into: Uint8Array): void => {
  const { whole, region } = drawn;
  const { x, y, width, height } = widened(drawn);
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, bitmapFormat, 0, 0);
  if (bitmap === 0) throw new RangeError(`Not enough memory for ${width} x ${height} pixels.`);
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
  const place = [-x, -y, whole.width, whole.height, 0] as const;
  pdfium._FPDF_RenderPageBitmap(bitmap, page.handle, ...place, inRgb | withAnnotations);
  if (page.form !== undefined)
    pdfium._FPDF_FFLDraw(page.form, bitmap, page.handle, ...place, inRgb);
  const stride = pdfium._FPDFBitmap_GetStride(bitmap);
  const start = (pdfium._FPDFBitmap_GetBuffer(bitmap) >>> 0) + (region.x - x) * samples;
  const length = region.width * samples;
  for (let row = 0; row < region.height; row++) {
    const from = start + (region.y - y + row) * stride;
    into.set(pdfium.HEAPU8.subarray(from, from + length), row * length);
  }
  pdfium._FPDFBitmap_Destroy(bitmap);
};

const widened = ({ whole, region }: Drawn): Rect => {
  const x = Math.max(0, region.x - apron);
  const y = Math.max(0, region.y - apron);
  return {
    x,
    y,
    width: Math.min(whole.width, region.x + region.width + apron) - x,
    height: Math.min(whole.height, region.y + region.height + apron) - y,
  };
};
