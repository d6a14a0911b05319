import type { Settings } from "../../config/keys.ts";
import type { FormatName } from "../../core/formats.ts";
import type { encodingKeys } from "./keys.ts";

/**
 * The settings that affect a format's images, and no others, so that no cache key changes
 * needlessly.
 */
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
