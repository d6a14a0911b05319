import type { Cache } from "../caches/cache.ts";
import { derivativeName } from "../caches/names.ts";
import type { Admission, Admitted } from "../core/admission.ts";
import { ServerError } from "../core/errors.ts";
import type { Cost } from "../core/lane.ts";
import { type RangeReader, SourceChanged, useReader } from "../core/range-reader.ts";
import type { Timings } from "../core/timings.ts";
import type { Execution } from "../render/execution.ts";
import type { Overview } from "../render/overview.ts";
import type { Estimate } from "./estimate.ts";
import { type Executions, findStored } from "./execution.ts";
import type { Infos } from "./infos.ts";
import type { Caching } from "./known.ts";
import { renderOnceAmongServers } from "./once.ts";
import type { Overviews } from "./overviews.ts";
import { type Prepared, renderedFor } from "./prepared.ts";
import type { Quarantine, StoredPicture } from "./quarantine.ts";
import { openRemote, RemoteLimits } from "./remote-limits.ts";

/** The dependencies of rendering derivatives. */
export interface DrawnDeps {
  readonly infos: Infos;
  readonly admission: Admission;
  readonly cost: Estimate;
  /** The overviews that tiles are cut from; absent: each tile reads its page. */
  readonly overviews?: Overviews;
  /** Refuses images that crash decoders; absent: none are refused. */
  readonly quarantine?: Pick<Quarantine, "check" | "watch" | "glance">;
  /**
   * Whether servers that share the cache also avoid duplicate renders, where its kind supports
   * locks.
   */
  readonly isSharedWork?: () => boolean;
}

/** How a derivative is rendered and where it goes. */
export interface DerivativeJob {
  /** Absent: the image is not cached. */
  readonly cache: Cache | undefined;
  readonly caching: Caching;
  readonly signal: AbortSignal;
  readonly timings: Timings | undefined;
  /** The work begun on it, to be finished or dropped; absent: none. */
  readonly walk?: Execution | undefined;
}

/**
 * Renders a derivative of one state of its image and caches it; throws `busy` where it is not
 * admitted.
 */
export type DrawAndKeep = (prepared: Prepared, keeping: DerivativeJob) => Promise<Uint8Array>;

type Drawing = Pick<DerivativeJob, "signal" | "timings" | "walk">;

export const createDrawAndKeep = (
  deps: DrawnDeps,
  walking: Pick<Executions, "begin">,
): DrawAndKeep => {
  const far = new RemoteLimits(deps.admission);
  /** Runs work on the image that is rendered, once it is admitted; the quarantine watches it. */
  const admitted = <T>(
    prepared: Prepared,
    { cost, signal }: { readonly cost: Cost; readonly signal: AbortSignal },
    work: (reader: RangeReader) => Promise<T>,
  ): Promise<T> => {
    const { plan, image } = renderedFor(prepared);
    const { quarantine } = deps;
    const picture: StoredPicture = { identifier: plan.identifier, version: image.version };
    quarantine?.check(picture);
    const read = async (turn: Admitted): Promise<T> =>
      useReader(await openRemote(image.object, turn, signal), work);
    return far.run(image.object, signal, () =>
      deps.admission.run(cost, signal, (turn) =>
        quarantine ? quarantine.watch(picture, signal, () => read(turn)) : read(turn),
      ),
    );
  };

  /**
   * The overview that an image is cut from, where there is one. Of several tiles, one is admitted to
   * make it, and the others wait without a place in its lane.
   */
  const overviewFor = (
    prepared: Prepared,
    walk: Execution,
    signal: AbortSignal,
  ): Promise<Overview> | undefined => {
    const { overviews } = deps;
    const job = overviews && walk.overview;
    if (job === undefined || !overviews?.takes(job)) return undefined;
    const { plan, image } = renderedFor(prepared);
    const { identifier } = plan;
    const wanted = { ...job, identifier, version: image.version };
    return overviews.get(wanted, signal, (own, grown) => {
      const { pixels, bytes } = deps.cost(plan, image);
      const cost: Cost = {
        pixels,
        bytes: bytes + job.bytes * overviewCopies,
        isAwaited: true,
      };
      return admitted(prepared, { cost, signal: own }, (reader) => job.make(reader, own, grown));
    });
  };

  /**
   * An image stored as requested costs next to nothing and is not queued; anything else is admitted
   * first.
   */
  const carryOut = async (
    prepared: Prepared,
    walk: Execution,
    { signal, timings }: Drawing,
  ): Promise<Uint8Array> => {
    const { plan, image } = renderedFor(prepared);
    const found = await findStored(prepared, walk, signal);
    if (found) return found;
    timings?.enter("wait");
    const overview = await overviewFor(prepared, walk, signal);
    const cost = deps.cost(plan, image, overview !== undefined);
    return admitted(prepared, { cost, signal }, (reader) =>
      walk.finish(reader, signal, overview).catch((error: unknown) => {
        if (error instanceof ServerError && error.failure === "missing")
          deps.infos.learnEnd(plan.identifier, image, plan.page);
        throw error;
      }),
    );
  };

  const findOrDraw = async (prepared: Prepared, drawing: Drawing): Promise<Uint8Array> => {
    const walk = drawing.walk ?? (await walking.begin(prepared, drawing.timings));
    try {
      return await carryOut(prepared, walk, drawing);
    } finally {
      walk.drop();
    }
  };

  /**
   * An image from one state of the source; if the source was replaced meanwhile, it is prepared and
   * rendered again.
   */
  const drawWhole = async (
    prepared: Prepared,
    drawing: Drawing,
  ): Promise<{ readonly body: Uint8Array; readonly key: string }> => {
    try {
      return { body: await findOrDraw(prepared, drawing), key: prepared.key };
    } catch (error) {
      // A client that disconnects does not mean that the pyramid is damaged.
      const whole = drawing.signal.aborted ? undefined : withoutPyramid(prepared, error);
      if (whole !== undefined) {
        const { walk: _, ...anew } = drawing;
        return drawWhole(whole, anew);
      }
      if (!(error instanceof SourceChanged) || !prepared.again) throw error;
      deps.infos.forget(prepared.plan.identifier, prepared.image);
      const { again: _, ...fresh } = await prepared.again();
      const { walk: __, ...anew } = drawing;
      return drawWhole(fresh, anew);
    }
  };

  return async (prepared, { cache, caching, ...drawing }) => {
    const { signal, timings } = drawing;
    const draw = async (): Promise<Uint8Array> => {
      const drawn = await drawWhole(prepared, drawing);
      timings?.enter("keep");
      await cache?.put(derivativeName(drawn.key), drawn.body);
      return drawn.body;
    };
    try {
      if (cache?.lock === undefined || caching !== "use" || !deps.isSharedWork?.())
        return await draw();
      return await renderOnceAmongServers(
        { cache, name: derivativeName(prepared.key), signal },
        draw,
      );
    } finally {
      // Another server may have rendered it meanwhile.
      drawing.walk?.drop();
    }
  };
};

/** Copies of an overview while it is made: libvips', and the result. */
const overviewCopies = 2;

/**
 * The same request without the pyramid, which is discarded; undefined where there is none, and
 * where it is not the reason why rendering failed.
 */
const withoutPyramid = (
  { pyramid, ...prepared }: Prepared,
  error: unknown,
): Prepared | undefined => {
  if (pyramid === undefined || !isFault(error)) return undefined;
  pyramid.discard(error);
  return prepared;
};

/** Whether an error may come from the file that was read. */
const isFault = (error: unknown): boolean =>
  error instanceof SourceChanged || !(error instanceof ServerError) || faults.has(error.failure);

const faults: ReadonlySet<string> = new Set(["missing", "denied", "unreadable", "internal"]);
