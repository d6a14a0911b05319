import { defineKeys } from "../config/keys.ts";

/** How long what was learned of images is believed, and how much of it is kept. */
export const infoKeys = defineKeys({
  "cache.server.resolve_first": {
    type: "boolean",
    default: false,
    cantaloupe: true,
    doc: "Whether the source is asked at every request if an image is still the one that is known, so that a replaced or removed one is noticed at once. Otherwise that happens at the latest after cache.server.info.trust_seconds.",
  },
  "cache.server.serve_missing": {
    type: "boolean",
    default: false,
    cantaloupe: true,
    doc: "Whether what is cached of an image is still served when its source says that it is gone, may not be read or cannot be reached, as Cantaloupe does where cache.server.resolve_first is false. Has no effect where that is true.",
  },
  "cache.server.info.trust_seconds": {
    type: "seconds",
    default: 2,
    min: 0,
    max: 3600,
    doc: "For how long the source is not asked again about an image it was just asked about, in seconds.",
  },
  "cache.server.info.target_size": {
    type: "bytes",
    default: null,
    share: "infos",
    min: 65_536,
    doc: "How many bytes may be taken, in each worker, by what is remembered of images: about 1.5 kB each, more where they have many pages.",
    restart: true,
  },
});
