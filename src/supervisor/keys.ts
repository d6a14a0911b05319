import { defineKeys } from "../config/keys.ts";

/** The processes that serve, and how they are looked after. */
export const workerKeys = defineKeys({
  "http.workers": {
    type: "integer",
    default: 0,
    min: 0,
    max: 256,
    restart: true,
    doc: "How many processes serve requests; 0 for one per processor, but no more than one per 768 MB of memory. A further process, which serves nothing itself, looks after them.",
  },
  "http.worker_timeout": {
    type: "seconds",
    default: 30,
    min: 2,
    max: 3_600,
    doc: "Seconds after which a worker that gives no sign of life is killed and replaced.",
  },
  "http.allocator": {
    type: "choice",
    choices: ["auto", "system"],
    default: "auto",
    restart: true,
    doc: "What gives the workers memory: `auto` for jemalloc where it is installed in one of the usual places, else the system's allocator, told to keep little (few arenas, large pieces given back at once, twice a minute whatever is free); `system` for that allocator as it is. LD_PRELOAD and the variables of glibc's allocator (MALLOC_…) in the environment are left alone.",
  },
});
