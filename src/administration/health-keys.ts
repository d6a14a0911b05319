import { defineKeys } from "../config/keys.ts";

/** The health check, and how much it looks at. */
export const healthKeys = defineKeys({
  "endpoint.health.enabled": {
    type: "boolean",
    default: true,
    // Cantaloupe 5.0, which all released versions are, has no such key: there the API's counts.
    cantaloupe: { key: "endpoint.api.enabled" },
    doc: "Whether /health, /livez and /readyz answer.",
  },
  "endpoint.health.dependency_check": {
    type: "boolean",
    default: false,
    doc: "Whether /health, which otherwise only looks whether the sources can be reached, reads an image of every format that was read from the source before, writes to every cache, reads and purges what it wrote, and looks at free memory and disk space. All callers at a time share one such look.",
  },
  "endpoint.health.timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 60,
    doc: "Seconds after which a check that has not ended counts as failed. All of them run side by side.",
  },
  "endpoint.health.min_disk_space": {
    type: "bytes",
    default: 268_435_456,
    min: 0,
    doc: "With how many bytes free on a disk that caches or logs are written to the health check begins to warn (YELLOW); with a tenth of it it fails (RED). 0 for not looking.",
  },
  "endpoint.health.min_memory": {
    type: "bytes",
    default: 67_108_864,
    min: 0,
    doc: "With how many bytes of memory left to the server, of the machine's or the container's, the health check begins to warn (YELLOW); with a tenth of it it fails (RED). 0 for not looking.",
  },
});
