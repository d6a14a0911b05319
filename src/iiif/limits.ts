import { defineKeys } from "../config/keys.ts";

/** What bounds requests and what info.json says of it. */
export const limitKeys = defineKeys({
  max_pixels: {
    type: "integer",
    default: 10_000_000,
    min: 0,
    doc: "Most pixels a response may have; 0 for no limit.",
  },
  max_scale: {
    type: "number",
    default: 1,
    min: 0,
    doc: "Most a response may be enlarged, as a factor of the region; 0 for no limit.",
  },
  "endpoint.iiif.min_size": {
    type: "integer",
    default: 64,
    min: 1,
    doc: "The smallest side, in pixels, of the sizes that info.json lists.",
  },
  "endpoint.iiif.min_tile_size": {
    type: "integer",
    default: 512,
    min: 1,
    doc: "The smallest tile side, in pixels, that info.json offers.",
  },
  "endpoint.iiif.restrict_to_sizes": {
    type: "boolean",
    default: false,
    doc: "Whether only the sizes and tiles that info.json lists may be asked for.",
  },
});
