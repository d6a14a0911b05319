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

/** How pictures are drawn, whatever format they are written in. */
export const renderKeys = defineKeys({
  "processor.background_color": {
    type: "color",
    default: "white",
    doc: "What lies under transparency, and in the corners of rotated pictures, where the format knows no transparency. A grey picture takes its brightness.",
  },
  "processor.downscale_filter": {
    type: "choice",
    choices: filters,
    default: "bicubic",
    cantaloupe: "box",
    doc: "How pictures are reduced. bicubic, lanczos3 and mitchell are exactly that; box, triangle and hermite are drawn as triangle, bell and bspline as mitchell, their nearest kin here.",
  },
  "processor.upscale_filter": {
    type: "choice",
    choices: filters,
    default: "bicubic",
    doc: "How pictures are enlarged: box as nearest neighbour, triangle and hermite as bilinear, every other as bicubic.",
  },
  "processor.downscale_linear": {
    type: "boolean",
    default: false,
    doc: "Whether pictures are reduced in linear light: fine bright detail keeps its brightness, at several times the cost.",
  },
  "processor.sharpen": {
    type: "number",
    default: 0,
    min: 0,
    max: 10,
    doc: "How much pictures are sharpened after scaling (unsharp mask, radius 2 pixels), nominally 0 to 1; 0 for not at all.",
  },
  "processor.convert_to_srgb": {
    type: "boolean",
    default: false,
    doc: "Whether every picture is converted to sRGB. Otherwise RGB and grey colour profiles are carried into the answer, and only CMYK, CIELAB and the like are converted. Conversion about doubles the cost of a tile.",
  },
  "processor.keep_16_bit": {
    type: "boolean",
    default: false,
    doc: "Whether pictures of more than 8 bits per sample keep 16 in PNG, TIFF, JPEG 2000 and JPEG XL answers.",
  },
  "processor.metadata.preserve": {
    type: "boolean",
    default: false,
    doc: "Whether what a file says of itself is written into all pictures of it, tiles included: EXIF, IPTC and XMP, as far as the format has a place for them (JPEG, TIFF and JPEG 2000 all; PNG, WebP, AVIF and JPEG XL no IPTC; GIF XMP only; PDF none). EXIF says where a photo was taken. Embedded previews, makers' notes, orientation and resolution are left out, and what goes beyond some 60,000 bytes of each. XMP that a delegate's method metadata answers takes the place of the file's.",
  },
});
