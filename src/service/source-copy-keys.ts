import { defineKeys } from "../config/keys.ts";

/** Whether and how long copies of stored images are kept on this machine. */
export const sourceCopyKeys = defineKeys({
  "cache.server.source": {
    type: "choice",
    choices: ["", "FilesystemCache"],
    default: "",
    doc: "Where whole files from sources elsewhere are kept, so that they are fetched once and then read here: `FilesystemCache` for the folder `source` in FilesystemCache.pathname; blank for nowhere, so that sources are asked for the parts that are needed. Images in the file system are read where they are.",
    restart: true,
  },
  "cache.server.source.ttl_seconds": {
    type: "seconds",
    default: 2_592_000,
    cantaloupe: 0,
    min: 0,
    doc: "Seconds a file from a source may lie unused before it is dropped by a sweep (cache.server.worker.enabled); 0 for no end.",
    restart: true,
  },
  "cache.server.source.max_size": {
    type: "bytes",
    default: 10 * 2 ** 30,
    min: 0,
    doc: "Most bytes that files from sources may take; 0 for no bound. The least recently used go first, but none that was used within a minute. A file that takes more than half of it is not kept: it is read where it is.",
    restart: true,
  },
  "processor.purge_incompatible_from_source_cache": {
    type: "boolean",
    default: false,
    doc: "Whether a file from a source is dropped at once when it turns out to be of no format that can be read.",
  },
});
