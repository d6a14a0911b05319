import { setMaxListeners } from "node:events";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { upright } from "../core/geometry.ts";
import { pageOf } from "../core/info.ts";
import type { Logger } from "../core/log.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { limitKeys } from "../iiif/limits.ts";
import type { Overviews } from "../service/overviews.ts";
import { PageConverter } from "./converting.ts";
import type { PlannedPage } from "./demand.ts";
import type { JobLimits, PyramidJob } from "./job.ts";
import type { Workshop } from "./job-folder.ts";
import { maxClosingMs, pyramidKeys } from "./keys.ts";
import type { Entry } from "./known-pyramids.ts";
import { type Made, makePyramid } from "./making.ts";
import { type OnProgress, PyramidQueue } from "./queue.ts";
import { ConverterLost, PyramidRefused } from "./refused.ts";
import type { PyramidStore } from "./store.ts";
import { wholePlan } from "./whole-plan.ts";

/** The dependencies of making pyramids. */
export interface MakerDeps {
  readonly config: Config;
  readonly store: PyramidStore;
  readonly workshop: Workshop;
  /** The number of this process among the server's, from 1. */
  readonly worker: number;
  readonly overviews: Pick<Overviews, "look">;
  readonly log: Logger;
}

/** A page whose pyramid is to be made. */
export interface Commission extends PlannedPage {
  readonly name: string;
  readonly entry: Entry;
  /** Whether to retry a page that was refused before. */
  readonly retries: boolean;
}

/** Makes pyramids one after the other. */
export interface Maker {
  readonly queue: PyramidQueue<Made>;
  /** Whether requests may trigger jobs; false for a while after one failed. */
  readonly isPaused: boolean;
  /** Makes a pyramid, or waits for the one that is being made; throws as `makePyramid` does. */
  make(
    commission: Commission,
    waiting: { readonly signal: AbortSignal; readonly onProgress?: OnProgress },
  ): Promise<Made>;
  /** Makes a pyramid in the background; failures are logged. */
  begin(commission: Commission): void;
  close(): Promise<void>;
}

/** Maximum number of waiting jobs. */
const maxWaiting = 200;

/** Milliseconds without new jobs after a temporary failure, such as a full disk. */
const pauseMs = 60_000;

/** A page is refused after its process has died this many times in a row. */
const maxLosses = 3;

export const createMaker = (deps: MakerDeps): Maker => {
  const { config, store, workshop, worker, overviews, log } = deps;
  const settings = config.view({ ...pyramidKeys, ...limitKeys });
  const queue = new PyramidQueue<Made>({ maxWaiting, maxEndingMs: maxClosingMs });
  const converter = new PageConverter();
  /** Jobs that requests started are never abandoned. */
  const staying = new AbortController().signal;
  setMaxListeners(0, staying);
  let pausedUntil = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;

  const limits = (): JobLimits => {
    const now = settings();
    return {
      maxSize: now["pyramids.max_size"],
      memory: now["pyramids.job_memory"],
      timeoutMs: now["pyramids.timeout"] * 1_000,
      niceness: now["pyramids.niceness"],
      quality: now["pyramids.quality"],
      encoding: now["pyramids.encoding"],
      minSide: now["endpoint.iiif.min_size"],
      maxDownload: now["pyramids.max_download"],
    };
  };

  const making = {
    ...{ store, workshop, limits, converter, overviews, log },
    planOf: ({ image, facts }: Pick<PyramidJob, "image" | "facts">) =>
      wholePlan(config, facts.identifier, image, facts.page - 1),
    slot: () => (worker - 1) % settings()["pyramids.jobs"],
    values: () => config.current,
  };

  /** Records a refusal, or a temporary failure. */
  const failed = async (
    error: unknown,
    { name, facts }: PyramidJob,
    { entry, signal }: { readonly entry: Entry; readonly signal: AbortSignal },
  ): Promise<Made> => {
    signal.throwIfAborted();
    if (error instanceof ConverterLost) entry.losses++;
    const isFinal = error instanceof PyramidRefused || entry.losses >= maxLosses;
    if (!isFinal || !(error instanceof Error)) throw error;
    const refused = error.message;
    entry.losses = 0;
    entry.refusal = refused;
    await store.refuse(name, { ...facts, made: new Date(), reason: refused }, signal);
    const { identifier, page } = facts;
    log.warn("The pyramid of an image was refused; the image stays slow to zoom.", {
      ...{ identifier, page, reason: refused },
    });
    return { refused };
  };

  const perform = async (
    job: PyramidJob,
    entry: Entry,
    { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: OnProgress },
  ): Promise<Made> => {
    const began = performance.now();
    try {
      const made = await makePyramid(job, making, { signal, onProgress }).catch((error: unknown) =>
        failed(error, job, { entry, signal }),
      );
      if (made !== "made") return made;
      const { identifier, page } = job.facts;
      log.info("A pyramid was made for an image that is slow to zoom.", {
        ...{ identifier, page, ms: Math.round(performance.now() - began) },
      });
      entry.losses = 0;
      await sweep(signal);
      return made;
    } catch (error) {
      const isOurs = !signal.aborted && !(error instanceof SourceChanged);
      if (isOurs) {
        pausedUntil = Date.now() + pauseMs;
        const { identifier, page } = job.facts;
        log.warn("A pyramid could not be made; the image is served without one.", {
          ...{ identifier, page, error },
        });
      }
      throw error;
    } finally {
      entry.excess = 0;
      // The next request finds the pyramid.
      entry.seenMs = 0;
    }
  };

  const sweep = async (signal: AbortSignal): Promise<void> => {
    if (performance.now() - sweptAt < store.sweepMs) return;
    sweptAt = performance.now();
    const { "pyramids.max_size": maxBytes, "pyramids.ttl_seconds": ttl } = settings();
    try {
      await store.sweep({ maxBytes, ttlMs: ttl * 1_000, signal });
    } catch (error) {
      signal.throwIfAborted();
      log.warn("Old pyramids could not be removed; this is retried after the next one is made.", {
        error,
      });
    }
  };

  const make: Maker["make"] = async ({ name, entry, plan, image, retries }, waiting) => {
    const page = pageOf(image.info, plan.page);
    if (page === undefined) throw new ServerError("missing", "There is no such page.");
    const facts = {
      ...{ identifier: plan.identifier, page: plan.page + 1, sourceBytes: image.object.size },
      size: upright(page.size, page.orientation),
    };
    const job: PyramidJob = { ...{ name, image, page, facts, retries } };
    return queue.run(
      { name, facts },
      (signal, onProgress) => perform(job, entry, { signal, onProgress }),
      waiting,
    );
  };

  return {
    queue,
    get isPaused() {
      return Date.now() < pausedUntil;
    },
    make,
    begin(commission) {
      if (queue.isFull) {
        // Further requests retry.
        commission.entry.excess = 0;
        return;
      }
      // It logs its failures itself.
      make(commission, { signal: staying }).catch(() => undefined);
    },
    async close() {
      await queue.close();
      await converter.close();
    },
  };
};
