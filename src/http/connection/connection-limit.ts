import { defineKeys, type Settings } from "../../config/keys.ts";

/** Returns how many connections the worker may have open. */
export const connectionKeys = defineKeys({
  "http.max_connections": {
    type: "integer",
    default: 0,
    min: 0,
    max: 1_000_000,
    doc: "Maximum number of open client connections, HTTP and HTTPS together; 0 for 2,048 per worker. They are divided among the workers, and no worker has more than half as many as its limit of file descriptors (`ulimit -n`). For a further connection, the one that has been idle longest is closed; if none is idle, the new one gets 503 and is closed.",
  },
});

/**
 * Maximum number of connections of one worker, given its file descriptors; undefined for no limit.
 */
export const maxConnections = (
  { "http.max_connections": wanted }: Settings<typeof connectionKeys>,
  { workers, descriptors }: { readonly workers: number; readonly descriptors: number | undefined },
): number => {
  const share = wanted > 0 ? Math.ceil(wanted / workers) : usualPerWorker;
  // The other half is for files, caches and decoder processes.
  return Math.min(share, maxByDescriptors(descriptors));
};

/** As many as the file descriptors allow. */
export const maxByDescriptors = (descriptors: number | undefined): number =>
  descriptors === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(descriptors / 2));

const usualPerWorker = 2_048;
