import { defineKeys, type Settings } from "../../config/keys.ts";

/** How all sources elsewhere are read: HttpSource, S3Source, AzureStorageSource. */
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
    doc: "Maximum number of requests that each worker sends to one server at a time. Further requests wait.",
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
    doc: "Seconds in which a connection to a remote source must be made.",
  },
  "source.response_timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 600,
    doc: "Seconds in which a remote source must begin to answer a request, and the longest pause within an answer.",
  },
  "source.request_timeout": {
    type: "seconds",
    default: 30,
    min: 0.1,
    max: 3600,
    doc: "Seconds in which a part of a remote file must have been read, all attempts included. Clients get a 504 after that.",
  },
  "source.download_timeout": {
    type: "seconds",
    default: 900,
    min: 1,
    max: 86_400,
    doc: "Seconds in which a whole remote file must have been fetched, where it cannot be read in parts.",
  },
  "source.attempts": {
    type: "integer",
    default: 3,
    min: 1,
    max: 10,
    doc: "How often a request to a remote source is tried when its server fails to answer properly. What is missing or forbidden is not tried again.",
  },
  "source.breaker.failures": {
    type: "integer",
    default: 10,
    min: 0,
    max: 10_000,
    doc: "After this many failures in a row, a remote server is not asked again for `source.breaker.seconds`; requests fail at once with 502. 0 asks it every time.",
  },
  "source.breaker.seconds": {
    type: "seconds",
    default: 5,
    min: 0.1,
    max: 3600,
    doc: "Seconds for which a remote server that failed is left alone. One request tries it then; the pause doubles, up to a minute, each time that fails.",
  },
});

export type RemoteSettings = Settings<typeof remoteKeys>;
