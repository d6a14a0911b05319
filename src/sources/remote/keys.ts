import { defineKeys, type Settings } from "../../config/keys.ts";

/** Keys of all remote sources: HttpSource, S3Source, AzureStorageSource. */
export const remoteKeys = defineKeys({
  "source.cache.blocks.target_size": {
    type: "bytes",
    default: null,
    share: "remote",
    min: 0,
    doc: "Memory of each worker for parts of remote files, so that headers and neighbouring tiles are not fetched twice. Blank takes a share of `memory.budget`.",
    restart: true,
  },
  "source.requests.max_per_origin": {
    type: "integer",
    default: 32,
    min: 1,
    max: 1024,
    doc: "Maximum number of concurrent requests from each worker to one server. Further requests wait.",
  },
  "source.requests.max_waiting": {
    type: "integer",
    default: 512,
    min: 0,
    max: 100_000,
    doc: "Maximum number of requests that wait for one server in each worker. Further ones are refused with 503.",
  },
  "source.connect_timeout": {
    type: "seconds",
    default: 5,
    min: 0.1,
    max: 600,
    doc: "Maximum seconds for connecting to a remote source.",
  },
  "source.response_timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 600,
    doc: "Maximum seconds until a remote source begins to respond, and the longest pause within a response.",
  },
  "source.request_timeout": {
    type: "seconds",
    default: 30,
    min: 0.1,
    max: 3600,
    doc: "Maximum seconds for reading a part of a remote file, all attempts included. Clients get a 504 after that.",
  },
  "source.download_timeout": {
    type: "seconds",
    default: 900,
    min: 1,
    max: 86_400,
    doc: "Maximum seconds for fetching a whole remote file, where it cannot be read in parts.",
  },
  "source.attempts": {
    type: "integer",
    default: 3,
    min: 1,
    max: 10,
    doc: "Number of attempts for a request to a remote source whose server fails to respond properly. Missing or forbidden objects are not retried.",
  },
  "source.breaker.failures": {
    type: "integer",
    default: 10,
    min: 0,
    max: 10_000,
    doc: "Consecutive failures after which a remote server is not asked for `source.breaker.seconds`; requests fail at once with 502. 0 asks it every time.",
  },
  "source.breaker.seconds": {
    type: "seconds",
    default: 5,
    min: 0.1,
    max: 3600,
    doc: "Seconds without requests to a remote server that failed. One request then tries it again; each further failure doubles the pause, up to a minute.",
  },
});

export type RemoteSettings = Settings<typeof remoteKeys>;
