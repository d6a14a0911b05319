import type { Cache } from "../caches/cache.ts";
import { area } from "../core/geometry.ts";
import type { Plan } from "../core/plan.ts";
import { SourceChanged } from "../core/range-reader.ts";
import type { Timings } from "../core/timings.ts";
import { Execution } from "../render/execution.ts";
import type { OverviewJob } from "../render/overview.ts";
import { type PlanTools, toolsOf } from "../render/tools.ts";
import { ways as table, type Way } from "../render/ways.ts";
import type { KnownImage } from "./known.ts";
import { type Prepared, renderedFor, withReader } from "./prepared.ts";

/** The dependencies of executing plans. */
export interface ExecutionDeps {
  /** The ways of executing plans, cheapest first; absent: all. */
  readonly ways?: readonly Way[];
  readonly means: {
    /** The tools to execute a plan with; undefined where they have to be loaded first. */
    ready(plan: Plan, image: KnownImage, timings: Timings | undefined): PlanTools | undefined;
    load(plan: Plan, image: KnownImage, timings: Timings | undefined): Promise<PlanTools>;
  };
  /** Whether the derivative cache is slower than a stored tile of a local file. */
  readonly isFar?: boolean;
}

/** Starts executing what was prepared. */
export interface Executions {
  /** Whether the image may be stored as requested, decided without reading. */
  mayBeStored(prepared: Prepared): boolean;
  /** The overview that the image would be cut from, decided without reading. */
  overviewOf(prepared: Prepared): OverviewJob | undefined;
  /**
   * Whether it may be stored as requested in a local file: then it is not cached again in a remote
   * cache, nor shared, since it costs next to nothing.
   */
  liesReady(prepared: Prepared, cache: Cache | undefined): boolean;
  /**
   * The image where it is available without waiting, or else a run that was begun as far as
   * possible; undefined where nothing of the file is in memory. Renders only where `draws` is set.
   */
  beginSync(
    prepared: Prepared,
    draws: boolean,
    timings: Timings | undefined,
  ): Uint8Array | Execution | undefined;
  /** A run that has not begun. */
  begin(prepared: Prepared, timings: Timings | undefined): Promise<Execution>;
}

/**
 * Maximum size, that of a tile: larger images are better held in memory once for all who request
 * them.
 */
const isSmall = ({ plan: { size } }: Prepared): boolean => area(size) <= maxAtHand;
const maxAtHand = 1_048_576;

/** Returns a function that starts runs. */
export const createExecutions = ({
  ways = table,
  means,
  isFar = false,
}: ExecutionDeps): Executions => ({
  mayBeStored(prepared) {
    const { plan, image } = renderedFor(prepared);
    const { info, object: file } = image;
    const known = means.ready(plan, image, undefined) ?? toolsOf(plan, { info, file });
    return ways.some((way) => way.isFree && way.whyNot(plan, known) === undefined);
  },

  overviewOf(prepared) {
    const { plan, image } = renderedFor(prepared);
    const known = means.ready(plan, image, undefined);
    if (known === undefined) return undefined;
    const way = ways.find(({ isFree, whyNot }) => !isFree && whyNot(plan, known) === undefined);
    return way?.overview?.(plan, known);
  },

  liesReady: (prepared, cache) =>
    (cache === undefined || isFar) &&
    isSmall(prepared) &&
    renderedFor(prepared).image.object.local === true,

  beginSync(prepared, draws, timings) {
    const { plan, image } = renderedFor(prepared);
    const { object } = image;
    const ready = object.sync && means.ready(plan, image, timings);
    if (ready === undefined) return undefined;
    const walk = new Execution(plan, ready, ways);
    try {
      const found = object.sync?.((near) => walk.advance(near, draws) ?? walk);
      if (found === undefined) walk.drop();
      return found;
    } catch {
      // The asynchronous path will report the error, or that the file was replaced.
      walk.drop();
      return undefined;
    }
  },

  begin: async (prepared, timings) => {
    const { plan, image } = renderedFor(prepared);
    return new Execution(plan, await means.load(plan, image, timings), ways);
  },
});

/**
 * The image where it is stored as requested; undefined otherwise, also where the image was
 * replaced, which rendering then reports.
 */
export const findCached = async (
  prepared: Prepared,
  walk: Execution,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  try {
    return await findStored(prepared, walk, signal);
  } catch (error) {
    if (!(error instanceof SourceChanged)) throw error;
    walk.skipFree();
    return undefined;
  }
};

/**
 * The image where it is stored as requested. Throws `SourceChanged` where the image was replaced.
 */
export const findStored = async (
  prepared: Prepared,
  walk: Execution,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> =>
  walk.isFree ? withReader(prepared, signal, (reader) => walk.find(reader, signal)) : undefined;
