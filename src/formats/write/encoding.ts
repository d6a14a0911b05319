import { defineKeys, type Settings } from "../../config/keys.ts";
import type { FormatName } from "../../core/formats.ts";

/** How pictures are written, format by format; docs/encoding.md has the measurements behind the defaults. */
export const encodingKeys = defineKeys({
  "processor.jpg.quality": {
    type: "integer",
    default: 80,
    min: 1,
    max: 100,
    doc: "JPEG quality, 1 to 100.",
  },
  "processor.jpg.progressive": {
    type: "boolean",
    default: false,
    doc: "Whether JPEGs are progressive: about 5 % smaller, at three to six times the time. Cantaloupe's sample says true; here speed decides.",
  },
  "processor.jpg.chroma_subsampling": {
    type: "choice",
    choices: ["4:2:0", "4:4:4"],
    default: "4:2:0",
    doc: "Whether JPEGs keep colour at half resolution (4:2:0) or at full resolution (4:4:4, about a quarter larger).",
  },
  "processor.jpg.quantisation_table": {
    type: "integer",
    default: 3,
    min: 0,
    max: 8,
    doc: "Which of the encoder's quantisation tables JPEGs are written with; 3 gives a little better pictures at the same size than 0, the one of the standard.",
  },
  "processor.jpg.optimise_coding": {
    type: "boolean",
    default: false,
    doc: "Whether the Huffman tables are made for each JPEG: a few percent smaller, at up to twice the time. Progressive JPEGs always have them.",
  },
  "processor.png.compression_level": {
    type: "integer",
    default: 2,
    min: 0,
    max: 9,
    doc: "How hard PNGs are compressed, 0 (not at all) to 9.",
  },
  "processor.png.palette": {
    type: "boolean",
    default: false,
    doc: "Whether PNGs are reduced to a palette of at most 256 colours: much smaller, and several times slower.",
  },
  "processor.tif.compression": {
    type: "choice",
    choices: ["LZW", "Deflate", "JPEG", "RLE", "none", "Uncompressed", "Undefined"],
    default: "LZW",
    blank: "none",
    doc: "How TIFFs are compressed; blank, none, Uncompressed and Undefined: not at all. JPEG takes the quality of processor.jpg.quality and has no transparency.",
  },
  "processor.gif.effort": {
    type: "integer",
    default: 1,
    min: 1,
    max: 10,
    doc: "How long the best palette of a GIF is looked for, 1 (quick) to 10.",
  },
  "processor.gif.dither": {
    type: "number",
    default: 0,
    min: 0,
    max: 1,
    doc: "How much of the error a GIF's palette makes is spread over neighbouring pixels, 0 (quick) to 1. Above 0 the borders of tiles may show.",
  },
  "processor.webp.quality": {
    type: "integer",
    default: 80,
    min: 1,
    max: 100,
    doc: "WebP quality, 1 to 100.",
  },
  "processor.webp.effort": {
    type: "integer",
    default: 0,
    min: 0,
    max: 6,
    doc: "How hard WebPs are compressed, 0 (quick) to 6.",
  },
  "processor.webp.lossless": {
    type: "boolean",
    default: false,
    doc: "Whether WebPs are compressed without loss; their quality then has no effect.",
  },
  "processor.avif.quality": {
    type: "integer",
    default: 50,
    min: 1,
    max: 100,
    doc: "AVIF quality, 1 to 100; 50 is about as good as JPEG at 75.",
  },
  "processor.avif.effort": {
    type: "integer",
    default: 0,
    min: 0,
    max: 9,
    doc: "How hard AVIFs are compressed, 0 (quick) to 9. Each step costs much and saves little.",
  },
  "processor.jp2.quality": {
    type: "integer",
    default: 80,
    min: 1,
    max: 100,
    doc: "Quality of JPEG 2000 answers, 1 to 100: each is about as large as a JPEG of that quality, and nearer to the picture.",
  },
  "processor.jp2.lossless": {
    type: "boolean",
    default: false,
    doc: "Whether JPEG 2000 answers are compressed without loss; their quality then has no effect.",
  },
  "processor.jxl.quality": {
    type: "integer",
    default: 80,
    min: 1,
    max: 100,
    doc: "JPEG XL quality, 1 to 100, as libjxl's own programs count it.",
  },
  "processor.jxl.effort": {
    type: "integer",
    default: 3,
    min: 1,
    max: 9,
    doc: "How hard JPEG XLs are compressed, 1 (quick) to 9.",
  },
  "processor.jxl.lossless": {
    type: "boolean",
    default: false,
    doc: "Whether JPEG XLs are compressed without loss; their quality then has no effect.",
  },
  "processor.pdf.page_dpi": {
    type: "integer",
    default: 150,
    min: 1,
    max: 2_400,
    doc: "Pixels to the inch of PDF answers, which have one page of the picture's size. The picture in them is a JPEG by the keys of processor.jpg.",
  },
});

/** The settings that bear on a format's pictures, and no others, so that no key changes for nothing. */
export const encodingOf = (
  format: FormatName,
  settings: Settings<typeof encodingKeys>,
): Readonly<Record<string, string | number | boolean>> => encodings[format]?.(settings) ?? {};

const jpegOptions = (settings: Settings<typeof encodingKeys>) => ({
  quality: settings["processor.jpg.quality"],
  progressive: settings["processor.jpg.progressive"],
  subsampling: settings["processor.jpg.chroma_subsampling"],
  table: settings["processor.jpg.quantisation_table"],
  optimise: settings["processor.jpg.optimise_coding"],
});

const encodings: Partial<
  Record<
    FormatName,
    (settings: Settings<typeof encodingKeys>) => Record<string, string | number | boolean>
  >
> = {
  jpg: (settings) => jpegOptions(settings),
  png: (settings) => ({
    level: settings["processor.png.compression_level"],
    palette: settings["processor.png.palette"],
  }),
  tif: (settings) => {
    const compression = compressions[settings["processor.tif.compression"]];
    return {
      compression,
      ...(compression === "jpeg" && { quality: settings["processor.jpg.quality"] }),
    };
  },
  gif: (settings) => ({
    effort: settings["processor.gif.effort"],
    dither: settings["processor.gif.dither"],
  }),
  webp: (settings) =>
    settings["processor.webp.lossless"]
      ? { lossless: true, effort: settings["processor.webp.effort"] }
      : {
          quality: settings["processor.webp.quality"],
          effort: settings["processor.webp.effort"],
        },
  avif: (settings) => ({
    quality: settings["processor.avif.quality"],
    effort: settings["processor.avif.effort"],
  }),
  jp2: (settings) =>
    settings["processor.jp2.lossless"]
      ? { lossless: true }
      : { quality: settings["processor.jp2.quality"] },
  jxl: (settings) =>
    settings["processor.jxl.lossless"]
      ? { lossless: true, effort: settings["processor.jxl.effort"] }
      : {
          quality: settings["processor.jxl.quality"],
          effort: settings["processor.jxl.effort"],
        },
  pdf: (settings) => ({ ...jpegOptions(settings), dpi: settings["processor.pdf.page_dpi"] }),
};

const compressions = {
  LZW: "lzw",
  Deflate: "deflate",
  JPEG: "jpeg",
  RLE: "packbits",
  none: "none",
  Uncompressed: "none",
  Undefined: "none",
} as const;
