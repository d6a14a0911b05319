import { defineKeys } from "../config/keys.ts";

/** Keys of how long infos are trusted and how many are kept. */
export const infoKeys = defineKeys({
  "cache.server.resolve_first": {
    type: "boolean",
    default: false,
    cantaloupe: true,
    doc: "Whether the source is asked at every request if the image is unchanged, so that a replaced or removed image is noticed at once. Otherwise it is noticed after cache.server.info.trust_seconds at the latest.",
  },
  "cache.server.serve_missing": {
    type: "boolean",
    default: false,
    cantaloupe: true,
    doc: "Whether cached data of an image is still served when its source says that it is gone, forbidden or unreachable, like Cantaloupe where cache.server.resolve_first is false. Has no effect where that is true.",
  },
  "cache.server.info.trust_seconds": {
    type: "seconds",
    default: 2,
    min: 0,
    max: 3600,
    doc: "Seconds for which the source is not asked again about an image.",
  },
  "cache.server.info.target_size": {
    type: "bytes",
    default: null,
    share: "infos",
    min: 65_536,
    doc: "Memory in each worker, in bytes, for image infos: about 1.5 kB each, more for many pages.",
    restart: true,
  },
});
