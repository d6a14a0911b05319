import { defineKeys } from "../config/keys.ts";

/** Keys of the health check. */
export const healthKeys = defineKeys({
  "endpoint.health.enabled": {
    type: "boolean",
    default: true,
    // Cantaloupe 5.0, which all released versions are, has no such key: there the API's key
    // applies.
    cantaloupe: { key: "endpoint.api.enabled" },
    doc: "Whether /health, /livez and /readyz are served.",
  },
  "endpoint.health.dependency_check": {
    type: "boolean",
    default: false,
    doc: "Whether /health runs the full check: it reads an image of every format that was read from the source before, writes, reads and purges an entry in every cache, and checks free memory and disk space. Otherwise it only checks that the sources are reachable. Concurrent callers share one check.",
  },
  "endpoint.health.timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 60,
    doc: "Seconds after which an unfinished check counts as failed. All checks run in parallel.",
  },
  "endpoint.health.min_disk_space": {
    type: "bytes",
    default: 268_435_456,
    min: 0,
    doc: "Free bytes on a disk that caches or logs are written to, below which the health check warns (YELLOW); below a tenth of that it fails (RED). 0 disables the check.",
  },
  "endpoint.health.min_memory": {
    type: "bytes",
    default: 67_108_864,
    min: 0,
    doc: "Bytes of memory left to the server, on the machine or in the container, below which the health check warns (YELLOW); below a tenth of that it fails (RED). 0 disables the check.",
  },
});
