import sharp from "sharp";

/**
 * Loaders that may run in a process that serves; whatever else libvips is built with stays shut.
 * That of SVG, which nothing interrupts, runs in processes of its own (svg/drawing-process.ts).
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
 * Sets the image library up for serving, once per process: no cache (it would go on giving a
 * replaced file's old pixels), one thread per image, and only the loaders that are meant to run.
 */
export const prepareVips = (): void => {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders });
};
