import type { PurgeScope } from "../caches/purge-record.ts";
import type { Logger } from "../core/log.ts";
import { createBackgroundJobs } from "./background-jobs.ts";
import { closingTimes } from "./closing.ts";
import type { Purging } from "./purging.ts";

/** Purges that nobody waits for. */
export interface BackgroundPurges {
  /** Removes what is kept of an image that its source says is gone. */
  missing(identifier: string): void;
  /** Releases what others purge. */
  follow(scopes: readonly PurgeScope[]): void;
  /** Begins none any more, and waits a while for those under way. */
  close(): Promise<void>;
}

/** Images purged at a time: where a cache is far away, each is a few requests. */
const concurrency = 8;
/** Images that may wait: anybody can ask for any number that never were. */
const maxWaiting = 1_000;
/** Milliseconds that a purge may take. */
const maxMs = 60_000;
/** What others purge is told every few seconds, many at a time. */
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
