import { defineKeys } from "../config/keys.ts";

/** Keys of worker processes and their supervision. */
export const workerKeys = defineKeys({
  "http.workers": {
    type: "integer",
    default: 0,
    min: 0,
    max: 256,
    restart: true,
    doc: "Number of worker processes; 0 for one per processor, but no more than one per 768 MB of memory. A supervisor process, which serves nothing itself, monitors them.",
  },
  "http.worker_timeout": {
    type: "seconds",
    default: 30,
    min: 2,
    max: 3_600,
    doc: "Seconds after which an unresponsive worker is killed and replaced.",
  },
  "http.allocator": {
    type: "choice",
    choices: ["auto", "system"],
    default: "auto",
    restart: true,
    doc: "The allocator of the workers: `auto` for jemalloc where it is installed in one of the usual places, else the system's allocator, set up to retain little (few arenas, large pieces returned at once, free memory twice a minute); `system` for that allocator as it is. LD_PRELOAD and the variables of glibc's allocator (MALLOC_…) in the environment are not changed.",
  },
});
