import type { PurgeScope } from "../caches/purge-record.ts";
import type { Logger } from "../core/log.ts";
import { createBackgroundJobs } from "./background-jobs.ts";
import { closingTimes } from "./closing.ts";
import type { Purging } from "./purging.ts";

/** Purges that nobody waits for. */
export interface BackgroundPurges {
  /** Removes what is kept of an image that its source says is gone. */
  missing(identifier: string): void;
  /** Lets go of what others purge. */
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
      log.warn("What was kept of an image that is gone could not be removed.", {
        identifier,
        error,
      }),
  });
  const followed = createBackgroundJobs({
    concurrency: 1,
    maxWaiting: maxFollowed,
    maxMs,
    onFailure: (_, error) =>
      log.warn("What others purged could not be let go of altogether.", { error }),
  });
  let told = 0;
  return {
    missing(identifier) {
      const isTaken = gone.run(identifier, async (signal) => {
        const entries = await purging.image(identifier, signal);
        if (entries > 0)
          log.info("An image is gone; what was kept of it is removed.", { identifier, entries });
      });
      if (!isTaken)
        log.debug("An image is gone; what is kept of it stays until it is asked for again.", {
          identifier,
        });
    },

    follow(scopes) {
      told++;
      const isTaken = followed.run(told.toString(), (signal) => purging.follow(scopes, signal));
      if (!isTaken)
        log.warn("What others purged was not let go of in this process.", {
          waiting: maxFollowed,
        });
    },

    async close() {
      await Promise.all([gone.close(closingTimes.purging), followed.close(closingTimes.purging)]);
    },
  };
};
