import { defineKeys, type Settings } from "../config/keys.ts";
import { dialectKeys } from "./dialect.ts";

/** Keys that limit requests and what info.json announces. */
export const limitKeys = defineKeys({
  max_pixels: {
    type: "integer",
    default: 10_000_000,
    cantaloupe: 0,
    min: 0,
    doc: "Maximum pixels of a response, before rotation; 0 for no limit (nothing is then enlarged beyond 100 million pixels). `max` and sizes with `!` shrink to it; any other larger size gets 400.",
  },
  max_scale: {
    type: "number",
    default: 1,
    min: 0,
    doc: "Maximum enlargement of a response, as a factor of the requested region: 1 for none, 2 for twice its width and height; 0 for no limit. Below 1, `max` is as large as it allows.",
  },
  "endpoint.iiif.min_size": {
    type: "integer",
    default: 64,
    min: 1,
    doc: "The smallest side, in pixels, of the sizes that info.json lists; also limits the scale factors of the tiles.",
  },
  "endpoint.iiif.min_tile_size": {
    type: "integer",
    default: null,
    cantaloupe: 512,
    min: 1,
    doc: "The smallest tile side, in pixels, in info.json. Stored tiles are doubled until they reach it; images without tiles get tiles of this size. Blank: stored tiles of at least 64 pixels are offered, and sent, as they are; images without tiles get tiles of 512.",
  },
  "endpoint.iiif.restrict_to_sizes": {
    type: "boolean",
    default: false,
    doc: "Whether only the sizes and tiles that info.json lists may be requested, in any quality, format and rotation; anything else gets 403. `max` is then the largest listed size.",
  },
  "endpoint.iiif.scale_reference": {
    type: "choice",
    choices: ["region", "image"],
    default: "region",
    cantaloupe: "image",
    doc: "What counts as enlarging: `region`, more pixels than the region has, as the Image API says; `image`, more than the whole image has, as Cantaloupe reads it. Holds for `^` in version 3 and for `max_scale`.",
  },
  "endpoint.iiif.3.confined_size": {
    type: "choice",
    choices: ["clamp", "refuse"],
    default: "clamp",
    cantaloupe: "refuse",
    doc: "How version 3 answers `!w,h` with a box larger than the region: `clamp`, with the region unscaled, as the Image API says; `refuse`, with 400, as the official validator and Cantaloupe want it.",
  },
  ...dialectKeys,
  "endpoint.iiif.preferred_formats": {
    type: "list",
    default: [],
    doc: "`preferredFormats` in info.json of version 3: output formats in order of preference, for example `webp, jpg`. Empty omits it.",
  },
});

export type Limits = Settings<typeof limitKeys>;

/** The error for a page that does not exist. */
export const missingPage = (limits: Limits): "missing" | "malformed" =>
  limits["endpoint.iiif.dialect"] === "cantaloupe" ? "malformed" : "missing";
