import { defineKeys } from "../config/keys.ts";

/** Which interpretation of requests applies where the Image API and Cantaloupe differ. */
export const dialectKeys = defineKeys({
  "endpoint.iiif.dialect": {
    type: "choice",
    choices: ["exact", "cantaloupe"],
    default: "exact",
    cantaloupe: "cantaloupe",
    doc: "How requests are parsed and refused where the Image API and Cantaloupe differ: `exact`, as the Image API says; `cantaloupe`, as there: qualities and formats in upper or lower case, decimals in `x,y,w,h`, rounded; `+` in an identifier as a space and `\\` (`%5C`) as a slash; a size one pixel above what a scale constraint allows; `!w,h` never shrunk to a limit; and 403 for what exceeds `max_pixels` or, in versions 1 and 2, `max_scale`, 415 for unknown formats, 400 for missing pages.",
  },
});
