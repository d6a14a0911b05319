import { LRUCache } from "lru-cache";
import type { Amount } from "../caches/cache.ts";
import type { Config } from "../config/store.ts";
import { area } from "../core/geometry.ts";
import { type ImageInfo, pageOf } from "../core/info.ts";
import type { Logger } from "../core/log.ts";
import type { Plan } from "../core/plan.ts";
import { SourceChanged, useReader } from "../core/range-reader.ts";
import { SingleFlight } from "../core/singleflight.ts";
import type { SourceObject } from "../core/source.ts";
import type { Decoder } from "../formats/shared/index.ts";
import { createBackgroundJobs } from "../service/background-jobs.ts";
import type { KnownImage } from "../service/known.ts";
import type { PagePyramid, Prepared } from "../service/prepared.ts";
import type { PyramidState, Pyramids } from "../service/pyramids.ts";
import { fileObject } from "../sources/file-object.ts";
import type { OpenFiles } from "../sources/open-files.ts";
import { mayHavePyramid } from "./encoding.ts";
import { type FolderState, type PyramidFile, type PyramidFolder, pyramidName } from "./folder.ts";
import { pyramidKeys } from "./keys.ts";
import { makePyramid, PyramidRefused } from "./making.ts";
import { excessOf, isSlow } from "./slow.ts";

/** The pyramids of a server, as one of its processes sees them. */
export interface ServerPyramids extends Pyramids {
  /** What is known of the pyramid for a prepared request. */
  stateOf(prepared: Prepared, signal: AbortSignal): Promise<PyramidState>;
  /** Requests that used a pyramid, and those that had to do without. */
  readonly tally: { readonly hits: number; readonly misses: number };
  readonly maxBytes: number;
  /** Number of pyramids that this process makes, or will. */
  readonly pending: number;
  counts(signal: AbortSignal): Promise<FolderState>;
  /** Removes the pyramids of an image, or all. */
  remove(identifier: string | undefined, signal: AbortSignal): Promise<Amount>;
  /** Removes unused pyramids, and those beyond the limit. */
  sweep(signal: AbortSignal): Promise<Amount>;
  /** Aborts running jobs; an unfinished pyramid is not kept. */
  close(): Promise<void>;
}

/** The dependencies of pyramids. */
export interface PyramidsDeps {
  readonly config: Config;
  readonly folder: PyramidFolder;
  readonly files: Pick<OpenFiles, "lease" | "sync" | "close">;
  /** The number of this process among the server's, from 1. */
  readonly worker: number;
  /** The estimated cost of a plan. */
  readonly cost: (plan: Plan, image: KnownImage) => { readonly pixels: number };
  readonly decoder: () => Promise<Decoder>;
  readonly log: Logger;
}

/** What this process knows of the pyramid of one page. */
interface Entry {
  ready?: { readonly file: PyramidFile; readonly pyramid: PagePyramid };
  refusal?: string;
  /** Pixels that requests have cost beyond what they would with a pyramid. */
  excess: number;
  isQueued: boolean;
  /** When the folder was last searched, and the use of the file last recorded. */
  seenMs: number;
  usedMs: number;
}

/** Maximum number of pages whose pyramids a process remembers. */
const maxEntries = 20_000;

/** Maximum number of pyramids that wait to be made. */
const maxWaiting = 200;

/** Milliseconds until the folder is searched again for a pyramid that another process may make. */
const searchMs = 2_000;

/** Milliseconds until the use of a pyramid is recorded again. */
const useMs = 600_000;

/** Milliseconds without new jobs after one failed for a reason that may pass, such as a full disk. */
const pauseMs = 60_000;

/** A pyramid is made once requests have cost this many times the page's pixels in excess. */
const worthwhile = 3;

/** Creates the pyramids of a server's process. */
export const createPyramids = (deps: PyramidsDeps): ServerPyramids => {
  const { config, folder, files, log } = deps;
  const settings = config.view(pyramidKeys);
  const entries = new LRUCache<string, Entry>({ max: maxEntries });
  const searches = new SingleFlight<Entry>();
  const slowPages = new WeakMap<object, boolean>();
  const tally = { hits: 0, misses: 0 };
  let pending = 0;
  let pausedUntil = 0;
  const jobs = createBackgroundJobs({
    concurrency: 1,
    maxWaiting,
    maxMs: maxJobMs,
    onFailure: (name, error) =>
      log.warn("A pyramid could not be made; the image is served without one.", { name, error }),
  });

  const limits = () => {
    const now = settings();
    return {
      maxSize: now["pyramids.max_size"],
      memory: now["pyramids.job_memory"],
      timeoutMs: now["pyramids.timeout"] * 1_000,
      quality: now["pyramids.quality"],
    };
  };

  const isSlowPage = ({ plan, image }: Prepared): boolean => {
    const page = pageOf(image.info, plan.page);
    if (page === undefined || image.info.isOutline) return false;
    const known = slowPages.get(page);
    if (known !== undefined) return known;
    const slow =
      area(page.size) >= settings()["pyramids.min_pixels"] &&
      mayHavePyramid(image.info) &&
      isSlow(plan, { info: image.info, page }, (probe) => deps.cost(probe, image));
    slowPages.set(page, slow);
    return slow;
  };

  const excess = ({ plan, image }: Prepared): number => excessOf(plan, deps.cost(plan, image));

  const pyramidOf = async (
    name: string,
    image: KnownImage,
    signal: AbortSignal,
  ): Promise<Entry["ready"]> => {
    const file = await folder.find(name);
    if (file === undefined) return undefined;
    const object = guarded(fileObject(file, file.modified, files));
    const decoder = await deps.decoder();
    const info = await useReader(await object.open(signal), (reader) =>
      decoder.info(reader, signal),
    );
    const { version, lastModified } = image;
    const stored: KnownImage = { info, object, version, ...(lastModified && { lastModified }) };
    const discard = (cause: unknown): void => {
      const entry = entries.get(name);
      if (entry) {
        delete entry.ready;
        // The file is not searched for until it has been deleted.
        entry.seenMs = Date.now();
      }
      // One that was evicted is simply absent.
      if (cause instanceof SourceChanged) return;
      log.warn("A pyramid could not be read; it is deleted and made again.", {
        name,
        error: cause,
      });
      folder.drop(name).catch((error: unknown) => {
        log.warn("A pyramid that cannot be read could not be deleted.", { name, error });
      });
    };
    return { file, pyramid: { image: stored, discard } };
  };

  /** Searches the folder for what another process may have made. */
  const search = (name: string, prepared: Prepared, signal: AbortSignal): Promise<Entry> =>
    searches.run(name, signal, async (shared) => {
      const refusal = await folder.failure(name);
      const ready = refusal === undefined ? await found(name, prepared.image, shared) : undefined;
      const entry = entries.get(name) ?? { excess: 0, isQueued: false, seenMs: 0, usedMs: 0 };
      entry.seenMs = Date.now();
      if (ready) entry.ready = ready;
      if (refusal === undefined) delete entry.refusal;
      else entry.refusal = refusal;
      entries.set(name, entry);
      return entry;
    });

  /** A pyramid that cannot be opened counts as absent. */
  const found = async (
    name: string,
    image: KnownImage,
    signal: AbortSignal,
  ): Promise<Entry["ready"]> => {
    try {
      return await pyramidOf(name, image, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.warn("A pyramid could not be opened; it is deleted and made again.", { name, error });
      await folder.drop(name);
      return undefined;
    }
  };

  const queue = (name: string, entry: Entry, { image, plan }: Prepared): void => {
    const page = pageOf(image.info, plan.page);
    if (page === undefined) return;
    const { identifier } = plan;
    const isTaken = jobs.run(name, async (signal) => {
      try {
        const began = performance.now();
        const slot = (deps.worker - 1) % settings()["pyramids.jobs"];
        const workshop = { folder, slot, limits, values: () => config.current };
        await makePyramid({ name, image, page, index: plan.page }, workshop, signal);
        const ready = await pyramidOf(name, image, signal);
        if (ready === undefined) return;
        entry.ready = ready;
        log.info("A pyramid was made of an image that is slow to zoom.", {
          identifier,
          ms: Math.round(performance.now() - began),
          bytes: ready.file.size,
        });
        const { maxSize } = limits();
        await folder.sweep({ maxBytes: maxSize, ttlMs: ttlMs(), signal });
      } catch (error) {
        // After closing, only the reason to stop is left.
        if (signal.aborted) return;
        if (!(error instanceof PyramidRefused)) {
          pausedUntil = Date.now() + pauseMs;
          throw error;
        }
        entry.refusal = error.message;
        await folder.recordFailure(name, error.message);
        log.warn("An image that is slow to zoom gets no pyramid.", {
          identifier,
          reason: error.message,
        });
      } finally {
        pending--;
        entry.isQueued = false;
        entry.excess = 0;
      }
    });
    // Further requests ask again where the queue is full.
    entry.isQueued = isTaken;
    if (isTaken) pending++;
    else entry.excess = 0;
  };

  const ttlMs = (): number => settings()["pyramids.ttl_seconds"] * 1_000;

  /** Counts a request that a pyramid would have made cheaper. */
  const count = (name: string, entry: Entry, prepared: Prepared, pixels: number): void => {
    tally.misses++;
    if (entry.isQueued || entry.refusal !== undefined || Date.now() < pausedUntil) return;
    const page = pageOf(prepared.image.info, prepared.plan.page);
    entry.excess += pixels;
    if (page && entry.excess >= worthwhile * area(page.size)) queue(name, entry, prepared);
  };

  const use = (entry: Entry, ready: NonNullable<Entry["ready"]>): PagePyramid => {
    tally.hits++;
    const now = Date.now();
    if (now - entry.usedMs > useMs) {
      entry.usedMs = now;
      // Without a record of its use it may merely be evicted earlier.
      void folder.use(ready.file).catch(() => undefined);
    }
    return ready.pyramid;
  };

  const nameOf = ({ plan, image }: Prepared): string =>
    pyramidName({ identifier: plan.identifier, version: image.version, page: plan.page });

  const isCandidate = (prepared: Prepared): boolean =>
    prepared.pyramid === undefined && isSlowPage(prepared);

  return {
    cached(prepared) {
      if (!isCandidate(prepared)) return undefined;
      const pixels = excess(prepared);
      if (pixels <= 0) return undefined;
      const name = nameOf(prepared);
      const entry = entries.get(name);
      if (entry?.ready) return use(entry, entry.ready);
      if (entry === undefined || Date.now() - entry.seenMs > searchMs) return "unknown";
      count(name, entry, prepared, pixels);
      return undefined;
    },

    async find(prepared, signal) {
      if (!isCandidate(prepared)) return undefined;
      const pixels = excess(prepared);
      if (pixels <= 0) return undefined;
      const name = nameOf(prepared);
      const known = entries.get(name);
      if (known?.ready) return use(known, known.ready);
      const isRecent = known !== undefined && Date.now() - known.seenMs <= searchMs;
      const entry = isRecent ? known : await search(name, prepared, signal);
      if (entry.ready) return use(entry, entry.ready);
      count(name, entry, prepared, pixels);
      return undefined;
    },

    async stateOf({ pyramid: _, ...prepared }, signal) {
      if (!isSlowPage(prepared)) return { kind: "unneeded" };
      const entry = await search(nameOf(prepared), prepared, signal);
      if (entry.ready) return { kind: "ready", bytes: entry.ready.file.size };
      if (entry.refusal !== undefined) return { kind: "refused", reason: entry.refusal };
      if (entry.isQueued) return { kind: "pending" };
      return { kind: "absent", share: Math.min(1, entry.excess / needed(prepared)) };
    },

    get tally() {
      return { ...tally };
    },
    get maxBytes() {
      return limits().maxSize;
    },
    get pending() {
      return pending;
    },
    counts: (signal) => folder.state(signal),

    async remove(identifier, signal) {
      entries.clear();
      return folder.remove(identifier, signal);
    },

    sweep: (signal) => folder.sweep({ maxBytes: limits().maxSize, ttlMs: ttlMs(), signal }),

    async close() {
      await jobs.close(0);
      files.close();
    },
  };
};

/** A job may wait for the slots of other processes. */
const maxJobMs = 86_400_000;

const needed = ({
  plan,
  image,
}: {
  readonly plan: Plan;
  readonly image: { readonly info: ImageInfo };
}): number => worthwhile * area(pageOf(image.info, plan.page)?.size ?? { width: 1, height: 1 });

/**
 * A pyramid that was evicted counts as changed: the request is then served without it. It is never
 * changed in place, so readers need not check that.
 */
const guarded = (object: SourceObject): SourceObject => ({
  ...object,
  async open(signal) {
    const reader = await object.open(signal);
    return {
      size: reader.size,
      ...(object.place !== undefined && { path: object.place }),
      stream: (stop) => reader.stream(stop),
      close: () => reader.close(),
      read: async (offset, length, stop, into) => {
        try {
          return await reader.read(offset, length, stop, into);
        } catch (error) {
          stop?.throwIfAborted();
          throw error instanceof SourceChanged ? error : new SourceChanged(error);
        }
      },
    };
  },
});
