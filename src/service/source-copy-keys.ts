import { defineKeys } from "../config/keys.ts";

/** Whether and how long copies of stored images are kept on this machine. */
export const sourceCopyKeys = defineKeys({
  "cache.server.source": {
    type: "choice",
    choices: ["", "FilesystemCache"],
    default: "",
    doc: "Where whole files from sources elsewhere are kept, so that they are fetched once and then read here: `FilesystemCache` for the folder `source` in FilesystemCache.pathname; blank for a folder `vitrine-copies-…` in the system's folder for temporary files. Of formats that are read in parts (`processor.stream_retrieval_strategy`) nothing is copied, and images in the file system are read where they are.",
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
  "processor.stream_retrieval_strategy": {
    type: "choice",
    choices: ["StreamStrategy", "DownloadStrategy", "CacheStrategy"],
    default: "StreamStrategy",
    doc: "How files of remote sources are read: `StreamStrategy` fetches only the parts that are needed, where the format and the server allow it; the other two fetch every file as a whole into `cache.server.source`, or a temporary folder where that is blank.",
    restart: true,
  },
  "processor.fallback_retrieval_strategy": {
    type: "choice",
    choices: ["DownloadStrategy", "CacheStrategy", "AbortStrategy"],
    default: "DownloadStrategy",
    doc: "What happens with remote files that are needed as a whole, such as JPEG and PNG: `DownloadStrategy` and `CacheStrategy` fetch them into `cache.server.source`, or a temporary folder where that is blank; `AbortStrategy` refuses them with 501.",
    restart: true,
  },
  "processor.purge_incompatible_from_source_cache": {
    type: "boolean",
    default: false,
    doc: "Whether a file from a source is dropped at once when it turns out to be of no format that can be read.",
  },
});
