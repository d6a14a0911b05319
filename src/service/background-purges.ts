import type { PurgeScope } from "../caches/purge-record.ts";
import type { Logger } from "../core/log.ts";
import { createBackgroundJobs } from "./background-jobs.ts";
import { closingTimes } from "./closing.ts";
import type { Purging } from "./purging.ts";

/** Purges in the background. */
export interface BackgroundPurges {
  /** Purges an image that its source no longer has. */
  missing(identifier: string): void;
  /** Applies purges of other servers to this process. */
  follow(scopes: readonly PurgeScope[]): void;
  /** Starts no more purges and waits a while for the running ones. */
  close(): Promise<void>;
}

/** Maximum number of images purged at a time: with a remote cache, each takes a few requests. */
const concurrency = 8;
/** Maximum number of queued images: clients can request any number of images that never existed. */
const maxWaiting = 1_000;
/** Maximum duration of a purge in milliseconds. */
const maxMs = 60_000;
/** Purges of other servers are applied every few seconds, many at a time. */
const maxFollowed = 100;

export const createBackgroundPurges = (
  purging: Pick<Purging, "image" | "follow">,
  log: Logger,
): BackgroundPurges => {
  const gone = createBackgroundJobs({
    concurrency,
    maxWaiting,
    maxMs,
    onFailure: (identifier, error) =>
      log.warn("Cached data of a deleted image could not be removed.", {
        identifier,
        error,
      }),
  });
  const followed = createBackgroundJobs({
    concurrency: 1,
    maxWaiting: maxFollowed,
    maxMs,
    onFailure: (_, error) =>
      log.warn("Entries that another server purged could not all be dropped from memory.", {
        error,
      }),
  });
  let told = 0;
  return {
    missing(identifier) {
      const isTaken = gone.run(identifier, async (signal) => {
        const entries = await purging.image(identifier, signal);
        if (entries > 0)
          log.info("Cached data of a deleted image was removed.", { identifier, entries });
      });
      if (!isTaken)
        log.debug(
          "Too many purges are queued; cached data of a deleted image stays until it is requested again.",
          {
            identifier,
          },
        );
    },

    follow(scopes) {
      told++;
      const isTaken = followed.run(told.toString(), (signal) => purging.follow(scopes, signal));
      if (!isTaken)
        log.warn(
          "Entries that another server purged were not dropped from memory in this process.",
          {
            waiting: maxFollowed,
          },
        );
    },

    async close() {
      await Promise.all([gone.close(closingTimes.purging), followed.close(closingTimes.purging)]);
    },
  };
};
