import type { Cache } from "../caches/cache.ts";
import { area } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import { type RangeReader, type ReadAtOnce, SourceChanged } from "../core/range-reader.ts";
import type { Timings } from "../core/timings.ts";
import { type Prepared, withReader } from "./prepared.ts";

/** What finding derivatives among the stored tiles needs of the rest of the house. */
export interface StoredDeps {
  /** The finished picture where its bytes are stored as they are; nothing is drawn for it. */
  readonly stored?: (
    plan: Plan,
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
  ) => Promise<Uint8Array | undefined>;
  /**
   * As `stored`, and where it finds nothing and `draws` is set as `render`, of what can be had without
   * waiting; undefined for all else.
   */
  readonly atOnce?: (
    plan: Plan,
    read: ReadAtOnce,
    info: ImageInfo,
    draws: boolean,
  ) => Uint8Array | undefined;
  /** Whether `stored` may find something, told without reading anything; absent: always. */
  readonly mayBeStored?: (plan: Plan, info: ImageInfo) => boolean;
  /** Whether a picture that is kept is farther away than one that is stored in a local file. */
  readonly isFar?: boolean;
}

/** Derivatives whose bytes the source has as they are wanted. */
export interface StoredDerivatives {
  /** Whether there may be one, told without reading anything. */
  mayBeStored(prepared: Prepared): boolean;
  /** Whether it may lie in a file here: that is not kept a second time elsewhere, nor shared, as it costs next to nothing. */
  liesReady(prepared: Prepared, cache: Cache | undefined): boolean;
  /** What is stored as it is wanted, if it is. Throws `SourceChanged` where the image was replaced. */
  find(
    prepared: Prepared,
    signal: AbortSignal,
    timings: Timings | undefined,
  ): Promise<Uint8Array | undefined>;
  /** As `find`, for who would rather draw than know that the image was replaced. */
  findAtHand(
    prepared: Prepared,
    signal: AbortSignal,
    timings: Timings | undefined,
  ): Promise<Uint8Array | undefined>;
  /** As `find`, and where `draws` is set drawn, as far as nobody need wait for it. */
  findAtOnce(prepared: Prepared, draws: boolean): Uint8Array | undefined;
}

/** A tile at most: what is larger had better be held in memory once for all who want it. */
const isSmall = ({ plan: { size } }: Prepared): boolean => area(size) <= mostAtHand;
const mostAtHand = 1_048_576;

export const storedDerivatives = (deps: StoredDeps): StoredDerivatives => {
  const mayBeStored = ({ plan, image: { info } }: Prepared): boolean =>
    deps.stored !== undefined && (deps.mayBeStored?.(plan, info) ?? true);

  const find = async (
    prepared: Prepared,
    signal: AbortSignal,
    timings: Timings | undefined,
  ): Promise<Uint8Array | undefined> => {
    const { stored } = deps;
    if (stored === undefined || !mayBeStored(prepared)) return undefined;
    const { plan, image } = prepared;
    timings?.enter("stored");
    return withReader(prepared, signal, (reader) => stored(plan, reader, image.info, signal));
  };

  return {
    mayBeStored,

    liesReady: (prepared, cache) =>
      (cache === undefined || deps.isFar === true) &&
      isSmall(prepared) &&
      prepared.image.object.local === true,

    find,

    async findAtHand(prepared, signal, timings) {
      try {
        return await find(prepared, signal, timings);
      } catch (error) {
        if (error instanceof SourceChanged) return undefined;
        throw error;
      }
    },

    findAtOnce({ plan, image: { info, object } }, draws) {
      const { atOnce } = deps;
      return atOnce && object.atOnce?.((read) => atOnce(plan, read, info, draws));
    },
  };
};
