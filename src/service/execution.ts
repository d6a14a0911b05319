import type { Cache } from "../caches/cache.ts";
import { area } from "../core/geometry.ts";
import type { Plan } from "../core/plan.ts";
import { SourceChanged } from "../core/range-reader.ts";
import type { Timings } from "../core/timings.ts";
import { Execution } from "../render/execution.ts";
import { type PlanTools, toolsOf } from "../render/tools.ts";
import { ways as table, type Way } from "../render/ways.ts";
import type { KnownImage } from "./known.ts";
import { type Prepared, withReader } from "./prepared.ts";

/** What carrying out plans needs of the rest of the house. */
export interface ExecutionDeps {
  /** The ways of carrying out plans, the cheapest first; absent: all there are. */
  readonly ways?: readonly Way[];
  readonly means: {
    /** What a plan is carried out with; undefined where that has to be loaded first. */
    ready(plan: Plan, image: KnownImage, timings: Timings | undefined): PlanTools | undefined;
    load(plan: Plan, image: KnownImage, timings: Timings | undefined): Promise<PlanTools>;
  };
  /** Whether an image that is kept is farther away than one that is stored in a local file. */
  readonly isFar?: boolean;
}

/** Begins to carry out what was prepared. */
export interface Executions {
  /** Whether it may be stored as it is wanted, told without reading anything. */
  mayBeStored(prepared: Prepared): boolean;
  /**
   * Whether it may lie in a file here: that is not kept a second time elsewhere, nor shared, as it
   * costs next to nothing.
   */
  liesReady(prepared: Prepared, cache: Cache | undefined): boolean;
  /**
   * The image where nobody need wait for it, or else a walk that was begun as far as possible;
   * undefined where nothing of the file is in memory. Draws only where `draws` is set.
   */
  beginSync(
    prepared: Prepared,
    draws: boolean,
    timings: Timings | undefined,
  ): Uint8Array | Execution | undefined;
  /** A walk that was not begun. */
  begin(prepared: Prepared, timings: Timings | undefined): Promise<Execution>;
}

/** A tile at most: what is larger had better be held in memory once for all who want it. */
const isSmall = ({ plan: { size } }: Prepared): boolean => area(size) <= maxAtHand;
const maxAtHand = 1_048_576;

/** Returns what begins walks. */
export const createExecutions = ({
  ways = table,
  means,
  isFar = false,
}: ExecutionDeps): Executions => ({
  mayBeStored({ plan, image }) {
    const { info, object: file } = image;
    const known = means.ready(plan, image, undefined) ?? toolsOf(plan, { info, file });
    return ways.some((way) => way.isFree && way.whyNot(plan, known) === undefined);
  },

  liesReady: (prepared, cache) =>
    (cache === undefined || isFar) && isSmall(prepared) && prepared.image.object.local === true,

  beginSync({ plan, image }, draws, timings) {
    const { object } = image;
    const ready = object.sync && means.ready(plan, image, timings);
    if (ready === undefined) return undefined;
    const walk = new Execution(plan, ready, ways);
    try {
      const found = object.sync?.((near) => walk.advance(near, draws) ?? walk);
      if (found === undefined) walk.drop();
      return found;
    } catch {
      // Where it may be waited for, it will be said what is wrong, or that the file is another by
      // now.
      walk.drop();
      return undefined;
    }
  },

  begin: async ({ plan, image }, timings) =>
    new Execution(plan, await means.load(plan, image, timings), ways),
});

/**
 * The image where it is stored as it is wanted, for who would rather draw than know that the
 * image was replaced; undefined otherwise.
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
 * The image where it is stored as it is wanted. Throws `SourceChanged` where the image was
 * replaced.
 */
export const findStored = async (
  prepared: Prepared,
  walk: Execution,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> =>
  walk.isFree ? withReader(prepared, signal, (reader) => walk.find(reader, signal)) : undefined;
