import { defineKeys } from "../../config/keys.ts";

/**
 * How images are written, format by format; docs/encoding.md has the measurements behind the
 * defaults.
 */
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
    doc: "Whether JPEGs are progressive: about 5 % smaller, at three to six times the time. Cantaloupe's sample says true; speed decides here.",
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
    doc: "Which of the encoder's quantisation tables is used; 3 gives slightly better images at the same size than 0, the one of the standard.",
  },
  "processor.jpg.optimise_coding": {
    type: "boolean",
    default: false,
    doc: "Whether each JPEG gets its own Huffman tables: a few percent smaller, at up to twice the time. Progressive JPEGs always have them.",
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
    doc: "Compression of TIFFs; blank, none, Uncompressed and Undefined: none. JPEG has the quality of processor.jpg.quality and no transparency.",
  },
  "processor.gif.effort": {
    type: "integer",
    default: 1,
    min: 1,
    max: 10,
    doc: "Effort of searching the palette of a GIF, 1 (fast) to 10.",
  },
  "processor.gif.dither": {
    type: "number",
    default: 0,
    min: 0,
    max: 1,
    doc: "How much of the error from a GIF's palette is spread over neighbouring pixels, 0 (fast) to 1. Above 0 the edges of tiles may show.",
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
    doc: "Compression effort of WebP, 0 (fast) to 6.",
  },
  "processor.webp.lossless": {
    type: "boolean",
    default: false,
    doc: "Whether WebPs are lossless; the quality then has no effect.",
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
    doc: "Compression effort of AVIF, 0 (fast) to 9. Each step costs much and saves little.",
  },
  "processor.jp2.quality": {
    type: "integer",
    default: 80,
    min: 1,
    max: 100,
    doc: "Quality of JPEG 2000 output, 1 to 100: about as large as a JPEG of that quality, and closer to the original.",
  },
  "processor.jp2.lossless": {
    type: "boolean",
    default: false,
    doc: "Whether JPEG 2000 output is lossless; the quality then has no effect.",
  },
  "processor.jxl.quality": {
    type: "integer",
    default: 80,
    min: 1,
    max: 100,
    doc: "JPEG XL quality, 1 to 100, on the scale of libjxl's own programs.",
  },
  "processor.jxl.effort": {
    type: "integer",
    default: 3,
    min: 1,
    max: 9,
    doc: "Compression effort of JPEG XL, 1 (fast) to 9.",
  },
  "processor.jxl.lossless": {
    type: "boolean",
    default: false,
    doc: "Whether JPEG XLs are lossless; the quality then has no effect.",
  },
  "processor.pdf.page_dpi": {
    type: "integer",
    default: 150,
    min: 1,
    max: 2_400,
    doc: "Pixels per inch of PDF output, which is one page of the image's size. The image in it is a JPEG that follows the keys of processor.jpg.",
  },
});
