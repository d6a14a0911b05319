import { defineKeys } from "../config/keys.ts";
import { v1 } from "./v1.ts";
import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";
import type { Version } from "./version.ts";

/** Every served version of the Image API, oldest first. */
export const versions: readonly Version[] = [v1, v2, v3];

/** Keys that enable versions. */
export const endpointKeys = defineKeys({
  "endpoint.iiif.1.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether Image API 1.1 is served at `/iiif/1`.",
  },
  "endpoint.iiif.2.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether Image API 2.1 is served at `/iiif/2`.",
  },
  "endpoint.iiif.3.enabled": {
    type: "boolean",
    default: true,
    doc: "Whether Image API 3.0 is served at `/iiif/3`.",
  },
});
