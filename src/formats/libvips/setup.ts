import sharp from "sharp";

/**
 * Loaders allowed in a serving process; all others of libvips are blocked. That of SVG, which
 * cannot be interrupted, runs in processes of its own (svg/drawing-process.ts).
 */
const loaders = [
  "VipsForeignLoadJpeg",
  "VipsForeignLoadPng",
  "VipsForeignLoadTiff",
  "VipsForeignLoadWebp",
  "VipsForeignLoadNsgif",
  "VipsForeignLoadHeif",
];

/**
 * Configures the image library for serving, once per process: no cache (it would return a replaced
 * file's old pixels), one thread per image, and only the allowed loaders.
 */
export const prepareVips = (): void => {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders });
};

/**
 * Allows this process to read files in libvips' own format, which it maps into memory: conversions
 * stage images in it. The decoders of images accept no such data, and bytes in it stay blocked.
 */
export const allowStagedImages = (): void =>
  sharp.unblock({ operation: ["VipsForeignLoadVipsFile"] });
