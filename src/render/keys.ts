import { defineKeys } from "../config/keys.ts";

const filters = [
  "bell",
  "bspline",
  "bicubic",
  "box",
  "hermite",
  "lanczos3",
  "mitchell",
  "triangle",
] as const;

/** Keys of rendering that apply to all output formats. */
export const renderKeys = defineKeys({
  "processor.background_color": {
    type: "color",
    default: "white",
    doc: "Background under transparency, and in the corners of rotated images, in formats without transparency. A grey image gets its brightness.",
  },
  "processor.downscale_filter": {
    type: "choice",
    choices: filters,
    default: "bicubic",
    cantaloupe: "box",
    doc: "Filter for reducing images. bicubic, lanczos3 and mitchell are exact; box, triangle and hermite are rendered as triangle, bell and bspline as mitchell, the closest available. With the exact ones, large JPEG files are reduced to exactly half their size by libjpeg instead, which is faster.",
  },
  "processor.upscale_filter": {
    type: "choice",
    choices: filters,
    default: "bicubic",
    doc: "Filter for enlarging images: box as nearest neighbour, triangle and hermite as bilinear, every other as bicubic.",
  },
  "processor.downscale_linear": {
    type: "boolean",
    default: false,
    doc: "Whether images are reduced in linear light: fine bright detail keeps its brightness, at several times the cost.",
  },
  "processor.sharpen": {
    type: "number",
    default: 0,
    min: 0,
    max: 10,
    doc: "How much images are sharpened after scaling (unsharp mask, radius 2 pixels), nominally 0 to 1; 0 for none.",
  },
  "processor.convert_to_srgb": {
    type: "boolean",
    default: false,
    doc: "Whether every image is converted to sRGB. Otherwise RGB and grey colour profiles are kept in the output, and only CMYK, CIELAB and the like are converted. Conversion about doubles the cost of a tile.",
  },
  "processor.keep_16_bit": {
    type: "boolean",
    default: false,
    doc: "Whether images of more than 8 bits per sample keep 16 in PNG, TIFF, JPEG 2000 and JPEG XL output.",
  },
  "processor.metadata.preserve": {
    type: "boolean",
    default: false,
    doc: "Whether the file's metadata is written into all derivatives, tiles included: EXIF, IPTC and XMP, as far as the format supports them (JPEG, TIFF and JPEG 2000 all; PNG, WebP, AVIF and JPEG XL no IPTC; GIF XMP only; PDF none). EXIF can reveal where a photo was taken. Embedded previews, maker notes, orientation and resolution are left out, as is anything beyond some 60,000 bytes of each. XMP from a delegate's method metadata replaces the file's.",
  },
});

/** Keys of overviews, in each worker. */
export const overviewKeys = defineKeys({
  "cache.server.overviews.target_size": {
    type: "bytes",
    default: null,
    share: "overviews",
    doc: "Memory in each worker, in bytes, for reduced copies of images that have to be decoded as a whole, such as JPEGs: the tiles of a view are cut from one copy, rather than decoding the image for each. A copy takes at most a quarter of it, and is dropped after 20 seconds. 0 for none.",
    restart: true,
  },
});
