import { sleep } from "../core/abort.ts";
import { type Failure, ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { ManagedPyramids } from "../service/pyramids.ts";
import { nothingMade, withFailure, withImage } from "./pyramid-tally.ts";
import type { PyramidCounts } from "./task.ts";
import type { TaskProgress } from "./tasks.ts";

/** The dependencies of making the pyramids of all images. */
export interface MakingOfAllParts {
  readonly pyramids: Pick<ManagedPyramids, "make">;
  /** The identifiers of all images; throws `unimplemented` if the source cannot list them. */
  readonly images: (signal: AbortSignal) => AsyncIterable<string>;
  readonly log: Logger;
  /** Milliseconds until an image is retried after the server was busy; default 30,000. */
  readonly pauseMs?: number;
}

/** Maximum number of images for which tasks report progress; beyond it, they report counts only. */
const maxCounted = 200_000;

/** Number of consecutive images that fail because of the server, after which a task fails. */
const maxFailures = 5;

/** Maximum attempts at an image while the server is busy: one hour. */
const maxAttempts = 120;
const usualPauseMs = 30_000;

/** Makes the pyramids of all images that the source lists, one image after the other. */
export const makeOfAll = async (
  parts: MakingOfAllParts,
  tell: (progress: TaskProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  tell({ progress: 0, pyramids: nothingMade });
  const of = await counted(parts.images(signal));
  let counts: PyramidCounts = of === undefined ? nothingMade : { ...nothingMade, of };
  let failures = 0;
  tell({ progress: 0, pyramids: counts });
  for await (const identifier of parts.images(signal)) {
    signal.throwIfAborted();
    const { after, error } = await attempt(parts, { identifier, counts }, signal);
    failures = error === undefined || isOfImage(error) ? 0 : failures + 1;
    if (failures >= maxFailures) throw error;
    counts = after;
    // Images may have been added since the count.
    const progress = of === undefined ? 0 : Math.min(1, counts.images / of);
    tell({ progress, pyramids: counts });
  }
};

/** The counts after one more image, and the reason if it failed. */
const attempt = async (
  { pyramids, log, pauseMs = usualPauseMs }: MakingOfAllParts,
  { identifier, counts }: { readonly identifier: string; readonly counts: PyramidCounts },
  signal: AbortSignal,
): Promise<{ readonly after: PyramidCounts; readonly error?: unknown }> => {
  for (let attempts = 1; ; attempts++)
    try {
      return { after: withImage(counts, identifier, await pyramids.make(identifier, {}, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      // The queue or the disk is full.
      if (isBusy(error) && attempts < maxAttempts) {
        await sleep(pauseMs, signal);
        continue;
      }
      // A folder may have many files that are not images.
      const level = isOfImage(error) ? "debug" : "warn";
      log[level]("The pyramids of an image could not be made; the image is served without them.", {
        identifier,
        error,
      });
      const reason =
        error instanceof ServerError
          ? error.message
          : "An internal error occurred. The log has the details under this identifier.";
      return { after: withFailure(counts, identifier, reason), error };
    }
};

/** Number of images; undefined if there are too many to count. */
const counted = async (images: AsyncIterable<string>): Promise<number | undefined> => {
  let count = 0;
  for await (const _ of images) if (++count > maxCounted) return undefined;
  return count;
};

const isBusy = (error: unknown): boolean =>
  error instanceof ServerError && error.failure === "busy";

/** Whether an error is due to the image itself, so that others may succeed. */
const isOfImage = (error: unknown): boolean =>
  error instanceof ServerError && ofImages.has(error.failure);

const ofImages: ReadonlySet<Failure> = new Set([
  "malformed",
  "unsupported",
  "lengthy",
  "unauthenticated",
  "denied",
  "missing",
  "unimplemented",
  "unreadable",
]);
