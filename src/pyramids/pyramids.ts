import type { Amount } from "../caches/cache.ts";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { pageOf } from "../core/info.ts";
import type { Logger } from "../core/log.ts";
import type { Plan } from "../core/plan.ts";
import type { Decoder } from "../formats/shared/index.ts";
import { limitKeys } from "../iiif/limits.ts";
import type { KnownImage } from "../service/known.ts";
import type { Overviews } from "../service/overviews.ts";
import type { Prepared } from "../service/prepared.ts";
import type {
  ManagedPyramids,
  PyramidEffect,
  PyramidState,
  Pyramids,
} from "../service/pyramids.ts";
import { type CostOfPlan, createDemand, neededExcess, type PlannedPage } from "./demand.ts";
import { encodingFor } from "./encoding.ts";
import type { Workshop } from "./job-folder.ts";
import { pyramidKeys } from "./keys.ts";
import { type Entry, KnownPyramids } from "./known-pyramids.ts";
import { listPyramids } from "./listing.ts";
import { createMaker } from "./maker.ts";
import { makeAll } from "./making-all.ts";
import { pyramidName } from "./names.ts";
import type { PyramidStore, StoreState } from "./store.ts";
import { encodingOfTile } from "./tile-response.ts";
import { wholePlan } from "./whole-plan.ts";

/** The pyramids of a server, as one of its processes sees them. */
export interface ServerPyramids extends Pyramids, ManagedPyramids {
  /** The state of the pyramid of a plan's page. */
  stateOf(planned: PlannedPage, signal: AbortSignal): Promise<PyramidState>;
  /** Requests that used a pyramid, and those that had to do without. */
  readonly tally: { readonly hits: number; readonly misses: number };
  readonly maxBytes: number;
  /** Number of pyramids that this process makes, or will. */
  readonly pending: number;
  counts(signal: AbortSignal): Promise<StoreState>;
  /** Removes unused pyramids, and those beyond the limit. */
  sweep(signal: AbortSignal): Promise<Amount>;
  /** Aborts running jobs; an unfinished pyramid is not kept. */
  close(): Promise<void>;
}

/** The dependencies of pyramids. */
export interface PyramidsDeps {
  readonly config: Config;
  readonly store: PyramidStore;
  readonly workshop: Workshop;
  /** The number of this process among the server's, from 1. */
  readonly worker: number;
  readonly cost: CostOfPlan;
  /** From which levels are taken that viewers have seen. */
  readonly overviews: Pick<Overviews, "look">;
  readonly decoder: () => Promise<Decoder>;
  /** Reads an image's info; throws the same failures as requests for the image. */
  readonly image: (identifier: string, signal: AbortSignal) => Promise<KnownImage>;
  readonly log: Logger;
}

/** A request that costs more than it would with a pyramid. */
interface ExcessiveRequest {
  readonly prepared: Prepared;
  /** The additional cost, in pixels. */
  readonly pixels: number;
}

/** Creates the pyramids of a server's process. */
export const createPyramids = (deps: PyramidsDeps): ServerPyramids => {
  const { config, store, workshop } = deps;
  const settings = config.view({ ...pyramidKeys, ...limitKeys });
  const demand = createDemand(config, deps.cost);
  const known = new KnownPyramids(deps);
  const maker = createMaker(deps);
  const tally = { hits: 0, misses: 0 };

  const nameOf = ({ plan, image }: PlannedPage): string =>
    pyramidName({ identifier: plan.identifier, version: image.version, page: plan.page });

  /** Counts a request's excess cost, and has the pyramid made once that is worthwhile. */
  const count = (
    name: string,
    entry: Entry,
    { prepared: { plan, image }, pixels }: ExcessiveRequest,
  ): void => {
    if (maker.queue.has(name) || maker.isPaused) return;
    entry.excess += pixels;
    if (entry.excess >= neededExcess(image.info, plan.page))
      maker.begin({ name, entry, plan, image, retries: false });
  };

  /** The encoding of a tile of the page's pyramid; undefined: as configured. */
  const encodingOf = ({ plan, image }: PlannedPage): Plan["encoding"] | undefined => {
    const page = pageOf(image.info, plan.page);
    if (page === undefined) return undefined;
    const { "pyramids.quality": quality, "pyramids.encoding": kind } = settings();
    const tiles = encodingFor(image.info, page, { quality, encoding: kind });
    return encodingOfTile(plan, page, { ...tiles, minSide: settings()["endpoint.iiif.min_size"] });
  };

  /** What a page's pyramid does for a request; without one, counts the request's excess cost. */
  const answer = (
    name: string,
    entry: Entry,
    request: ExcessiveRequest,
  ): PyramidEffect | undefined => {
    if (!entry.ready) {
      tally.misses++;
      if (entry.refusal !== undefined) return undefined;
      count(name, entry, request);
    } else tally.hits++;
    const encoding = encodingOf(request.prepared);
    return {
      ...(entry.ready && { pyramid: known.use(entry, entry.ready) }),
      ...(encoding && { encoding }),
    };
  };

  /** The excess cost of a request; undefined if its page gets no pyramid. */
  const wanted = (prepared: Prepared): number | undefined => {
    if (prepared.pyramid !== undefined || !demand.isSlow(prepared)) return undefined;
    const pixels = demand.excess(prepared);
    return pixels > 0 ? pixels : undefined;
  };

  return {
    cached(prepared) {
      const pixels = wanted(prepared);
      if (pixels === undefined) return undefined;
      const name = nameOf(prepared);
      const entry = known.recent(name);
      return entry ? answer(name, entry, { prepared, pixels }) : "unknown";
    },

    async find(prepared, signal) {
      const pixels = wanted(prepared);
      if (pixels === undefined) return undefined;
      const name = nameOf(prepared);
      const entry = known.recent(name) ?? (await known.search(name, prepared.image, signal));
      return answer(name, entry, { prepared, pixels });
    },

    async stateOf({ plan, image }, signal) {
      if (!demand.isSlow({ plan, image })) return { kind: "unneeded" };
      const name = nameOf({ plan, image });
      const entry = await known.search(name, image, signal);
      if (entry.ready) return { kind: "ready", bytes: entry.ready.stored.bytes };
      if (entry.refusal !== undefined) return { kind: "refused", reason: entry.refusal };
      if (maker.queue.has(name)) return { kind: "pending" };
      const share = Math.min(1, entry.excess / neededExcess(image.info, plan.page));
      return { kind: "absent", share };
    },

    get tally() {
      return { ...tally };
    },
    get maxBytes() {
      return settings()["pyramids.max_size"];
    },
    get pending() {
      return maker.queue.size;
    },
    counts: (signal) => store.state(signal),

    list: (page, signal) => listPyramids(store, maker.queue.pending, page, signal),

    async make(identifier, { onProgress }, signal) {
      const image = await deps.image(identifier, signal);
      const planOf = (page: number) => wholePlan(config, identifier, image, page);
      return makeAll(
        { image, planOf, nameOf },
        { demand, known, maker },
        { signal, ...(onProgress && { onProgress }) },
      );
    },

    async remove(identifier, signal) {
      const purged = new ServerError("aborted", "The pyramid was purged while it was being made.");
      await maker.queue.abort(identifier, purged);
      const removed = await store.remove(identifier, signal);
      known.clear();
      return removed;
    },

    async sweep(signal) {
      await workshop.clear(signal);
      const { "pyramids.max_size": maxBytes, "pyramids.ttl_seconds": ttl } = settings();
      return store.sweep({ maxBytes, ttlMs: ttl * 1_000, signal });
    },

    async close() {
      await maker.close();
      await store.close();
    },
  };
};
