/** The formats that loaders of libvips are used for, by their names in messages. */
export const vipsTitles = {
  jpg: "JPEG",
  png: "PNG",
  gif: "GIF",
  webp: "WebP",
  avif: "AVIF",
  // Opened by libvips where it is quicker, or may be padded.
  tif: "TIFF",
  svg: "SVG",
} as const;
