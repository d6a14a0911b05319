import type { Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import type { Codec, Decoder } from "./codec.ts";
import type { Codestreams } from "./jpeg2000-file/codestreams.ts";
import type { PdfThreads } from "./pdf/threads.ts";
import type { readingKeys } from "./reading.ts";
import type { TiffParts } from "./tiff.ts";
import type { VipsFormat } from "./vips.ts";

/** What reads and writes each format; nothing is loaded before it is asked for. */
export type Codecs = Readonly<Record<FormatName, () => Promise<Codec>>>;

/** The table of formats: one line each. */
export const createCodecs = (
  settings: () => Settings<typeof readingKeys>,
  parts: TiffParts & { readonly codestreams?: Codestreams; readonly pdf?: PdfThreads } = {},
): Codecs => {
  const table: Codecs = {
    jpg: () => codec("jpg", vips("jpg")),
    png: () => codec("png", vips("png")),
    tif: () => codec("tif", tiff()),
    gif: () => codec("gif", vips("gif")),
    webp: () => codec("webp", vips("webp")),
    avif: () => codec("avif", vips("avif")),
    jp2: () => codec("jp2", jpeg2000()),
    pdf: () => codec("pdf", pdf()),
    svg: async () => {
      if (!settings()["processor.svg.enabled"])
        fail("unreadable", "Expected a picture in a format that is switched on; SVG is not.");
      return codec("svg", vips("svg"));
    },
  };
  const vips = async (format: VipsFormat): Promise<Decoder> =>
    (await import("./vips.ts")).createVipsDecoder(format, settings);
  const tiff = async (): Promise<Decoder> =>
    (await import("./tiff.ts")).createTiffDecoder(settings, parts);
  const jpeg2000 = async (): Promise<Decoder> => {
    const { createJpeg2000Decoder } = await import("./jpeg2000.ts");
    const { codestreamsHere } = await import("./jpeg2000-file/codestreams.ts");
    const codestreams = parts.codestreams ?? (await codestreamsHere(settings));
    return createJpeg2000Decoder(settings, codestreams, parts.threads);
  };
  const pdf = async (): Promise<Decoder> => {
    const { createPdfDecoder } = await import("./pdf.ts");
    const { createPdfThreads, pdfThreadLimits } = await import("./pdf/threads.ts");
    const threads =
      parts.pdf ?? createPdfThreads(() => pdfThreadLimits(settings(), { threads: 1 }));
    return createPdfDecoder(settings, threads);
  };
  return lasting(table);
};

const codec = async (format: FormatName, reading: Promise<Decoder>): Promise<Codec> => {
  const [{ encoders }, decoder] = await Promise.all([import("./encode.ts"), reading]);
  const encoder = encoders[format];
  return encoder === undefined ? { decoder } : { decoder, encoder };
};

/** Makes each codec once, so that what a decoder remembers of open files lasts. */
const lasting = (table: Codecs): Codecs => {
  const made = new Map<FormatName, Promise<Codec>>();
  const once = (format: FormatName) => (): Promise<Codec> => {
    const before = made.get(format);
    if (before !== undefined) return before;
    const codec = table[format]();
    codec.catch(() => made.delete(format));
    made.set(format, codec);
    return codec;
  };
  return {
    jpg: once("jpg"),
    png: once("png"),
    tif: once("tif"),
    gif: once("gif"),
    webp: once("webp"),
    avif: once("avif"),
    jp2: once("jp2"),
    pdf: once("pdf"),
    svg: table.svg,
  };
};
