import type { Cache } from "../caches/cache.ts";
import { derivativeName } from "../caches/names.ts";
import type { Admission } from "../core/admission.ts";
import { ServerError } from "../core/errors.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Cost } from "../core/lane.ts";
import type { Plan } from "../core/plan.ts";
import { type RangeReader, SourceChanged } from "../core/range-reader.ts";
import type { Timings } from "../core/timings.ts";
import type { Infos } from "./infos.ts";
import type { Caching, KnownImage } from "./known.ts";
import { onceAmongServers } from "./once.ts";
import { type Prepared, withReader } from "./prepared.ts";
import type { Quarantine, StoredPicture } from "./quarantine.ts";
import type { StoredDerivatives } from "./stored-derivatives.ts";

/** What drawing derivatives needs of the rest of the house. */
export interface DrawnDeps {
  readonly infos: Infos;
  readonly render: (
    plan: Plan,
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
    timings?: Timings,
  ) => Promise<Uint8Array>;
  readonly admission: Admission;
  /** What drawing a plan will take, estimated without reading anything. */
  readonly cost: (plan: Plan, image: KnownImage) => Cost;
  /** What keeps pictures away that bring down what draws them; absent: nothing. */
  readonly quarantine?: Pick<Quarantine, "check" | "watch" | "glance">;
  /** Whether servers that share the cache also share the work, where its kind has locks. */
  readonly isSharedWork?: () => boolean;
}

/** What else there is to know of a drawing. */
export interface Drawing {
  readonly timings: Timings | undefined;
  /** Whether it was looked for among the stored tiles, and not found. */
  readonly isSought: boolean;
}

/** What becomes of a derivative that was drawn. */
export interface Keeping {
  /** Absent: the picture is not kept. */
  readonly cache: Cache | undefined;
  readonly caching: Caching;
  readonly signal: AbortSignal;
  readonly drawing: Drawing;
}

/** Makes a derivative, of one state of its image, and keeps it; throws `busy` where its turn does not come. */
export type DrawAndKeep = (prepared: Prepared, keeping: Keeping) => Promise<Uint8Array>;

export const createDrawAndKeep = (deps: DrawnDeps, stored: StoredDerivatives): DrawAndKeep => {
  /** What is stored as it is wanted costs next to nothing, and waits for nobody. */
  const findOrDraw = async (
    prepared: Prepared,
    signal: AbortSignal,
    { timings, isSought }: Drawing,
  ): Promise<Uint8Array> => {
    const { plan, image } = prepared;
    const found = isSought ? undefined : await stored.find(prepared, signal, timings);
    if (found) return found;
    const { quarantine } = deps;
    const picture: StoredPicture = { identifier: plan.identifier, version: image.version };
    quarantine?.check(picture);
    timings?.enter("wait");
    const render = (): Promise<Uint8Array> =>
      withReader(prepared, signal, (reader) =>
        deps.render(plan, reader, image.info, signal, timings).catch((error: unknown) => {
          if (error instanceof ServerError && error.failure === "missing")
            deps.infos.learnEnd(plan.identifier, image, plan.page);
          throw error;
        }),
      );
    return deps.admission.run(deps.cost(plan, image), signal, () =>
      quarantine ? quarantine.watch(picture, signal, render) : render(),
    );
  };

  /** A picture of one state of the image: what was replaced on the way is settled and drawn anew. */
  const drawWhole = async (
    prepared: Prepared,
    signal: AbortSignal,
    drawing: Drawing,
  ): Promise<{ readonly body: Uint8Array; readonly key: string }> => {
    try {
      return { body: await findOrDraw(prepared, signal, drawing), key: prepared.key };
    } catch (error) {
      if (!(error instanceof SourceChanged) || !prepared.again) throw error;
      deps.infos.forget(prepared.plan.identifier, prepared.image);
      const { again: _, ...fresh } = await prepared.again();
      return drawWhole(fresh, signal, { ...drawing, isSought: false });
    }
  };

  return async (prepared, { cache, caching, signal, drawing }) => {
    const draw = async (): Promise<Uint8Array> => {
      const drawn = await drawWhole(prepared, signal, drawing);
      drawing.timings?.enter("keep");
      await cache?.put(derivativeName(drawn.key), drawn.body);
      return drawn.body;
    };
    if (cache?.lock === undefined || caching !== "use" || !deps.isSharedWork?.()) return draw();
    return onceAmongServers({ cache, name: derivativeName(prepared.key), signal }, draw);
  };
};
