/** The formats read by loaders of libvips, by their names in messages. */
export const vipsTitles = {
  jpg: "JPEG",
  png: "PNG",
  gif: "GIF",
  webp: "WebP",
  avif: "AVIF",
  // Opened by libvips where that is faster, or may be padded.
  tif: "TIFF",
  svg: "SVG",
} as const;
