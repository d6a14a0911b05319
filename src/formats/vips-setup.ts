import sharp from "sharp";

/** Loaders that may run; whatever else libvips is built with stays shut. */
const loaders = [
  "VipsForeignLoadJpeg",
  "VipsForeignLoadPng",
  "VipsForeignLoadTiff",
  "VipsForeignLoadWebp",
  "VipsForeignLoadNsgif",
  "VipsForeignLoadHeif",
  "VipsForeignLoadSvg",
];

/**
 * Sets the image library up for serving, once per process: no cache (it would go on giving a
 * replaced file's old pixels), one thread per picture, and only the loaders that are meant to run.
 */
export const prepareVips = (): void => {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders });
};
