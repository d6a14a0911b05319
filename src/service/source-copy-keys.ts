import { defineKeys } from "../config/keys.ts";

/** Keys of copies of stored images on this machine. */
export const sourceCopyKeys = defineKeys({
  "cache.server.source": {
    type: "choice",
    choices: ["", "FilesystemCache"],
    default: "",
    doc: "Where whole files from remote sources are cached, so that they are fetched once and then read locally: `FilesystemCache` for the folder `source` in FilesystemCache.pathname; blank for a folder `vitrine-copies-…` in the system's folder for temporary files. Formats that are read in parts (`processor.stream_retrieval_strategy`) are not copied, and local files are read remotely.",
    restart: true,
  },
  "cache.server.source.ttl_seconds": {
    type: "seconds",
    default: 2_592_000,
    cantaloupe: 0,
    min: 0,
    doc: "Seconds after which an unused file is deleted by a sweep (cache.server.worker.enabled); 0 for never.",
    restart: true,
  },
  "cache.server.source.max_size": {
    type: "bytes",
    default: 10 * 2 ** 30,
    min: 0,
    doc: "Maximum size in bytes of all copied files; 0 for no limit. The least recently used are deleted first, but none that was used within a minute. A file that takes more than half of it is not copied but read remotely.",
    restart: true,
  },
  "processor.stream_retrieval_strategy": {
    type: "choice",
    choices: ["StreamStrategy", "DownloadStrategy", "CacheStrategy"],
    default: "StreamStrategy",
    doc: "How files of remote sources are read: `StreamStrategy` fetches only the needed parts, where the format and the server allow it; the other two fetch every file whole into `cache.server.source`, or a temporary folder if that is blank.",
    restart: true,
  },
  "processor.fallback_retrieval_strategy": {
    type: "choice",
    choices: ["DownloadStrategy", "CacheStrategy", "AbortStrategy"],
    default: "DownloadStrategy",
    doc: "What happens with remote files that are needed whole, such as JPEG and PNG: `DownloadStrategy` and `CacheStrategy` fetch them into `cache.server.source`, or a temporary folder if that is blank; `AbortStrategy` refuses them with 501.",
    restart: true,
  },
  "processor.purge_incompatible_from_source_cache": {
    type: "boolean",
    default: false,
    doc: "Whether a copied file is deleted at once when it turns out to be in no readable format.",
  },
});
