import type { PurgeScope } from "../caches/purge-record.ts";
import { settleWithin } from "../core/abort.ts";
import { fail, ServerError } from "../core/errors.ts";
import { closingTimes } from "../service/closing.ts";
import type { PurgedPyramids, Purging } from "../service/purging.ts";
import type { PurgePlace } from "./member.ts";
import { noPyramids } from "./own-making.ts";
import type { Removal, TaskRequest } from "./task.ts";
import { maxPurgeMs } from "./time-limits.ts";

/** Purges what a task names, everywhere or in this process. */
export type OwnPurging = (request: TaskRequest, where: PurgePlace) => Promise<Removal>;

/** Running purges of this process. */
export interface ProcessPurging {
  readonly purge: OwnPurging;
  /** Aborts running purges, waits a while until they have ended, and starts no more. */
  close(): Promise<void>;
}

/** The scope of a purge. */
export interface OwnPurgingParts {
  readonly purging: Purging;
  /** Whether derivatives are cached outside this process. */
  readonly isShared: boolean;
  /** Removes infos and structures of files from this process. */
  readonly forgetInfos: () => void;
  /** Removes copies of source files that are expired or beyond the bounds; returns the number. */
  readonly sweepCopies: (signal: AbortSignal) => Promise<number>;
  /** Absent if pyramids are switched off. */
  readonly pyramids?: PurgedPyramids | undefined;
}

export const ownPurging = (parts: OwnPurgingParts): ProcessPurging => {
  const { purging, isShared, forgetInfos, sweepCopies, pyramids } = parts;
  const closing = new AbortController();
  const underWay = new Set<Promise<Removal>>();

  const invalid = async (where: PurgePlace, signal: AbortSignal): Promise<number> => {
    if (where === "own" && isShared) return 0;
    const { entries } = await purging.invalid(signal);
    return entries + (where === "everywhere" ? await sweepCopies(signal) : 0);
  };

  const some = async (scope: Scope, where: PurgePlace, signal: AbortSignal): Promise<number> => {
    if (scope === "all") forgetInfos();
    if (where === "everywhere") return purge(purging, scope, signal);
    if (!isShared) return (await purging.remove(scope, signal)).entries;
    await purging.follow([scope], signal);
    return 0;
  };

  const ofPyramids = async (
    request: TaskRequest,
    where: PurgePlace,
    signal: AbortSignal,
  ): Promise<number> => {
    if (pyramids === undefined) return fail("unimplemented", noPyramids);
    const image = request.verb === "PurgePyramids" ? undefined : imageOf(request);
    const { entries } = await pyramids.remove(image, signal);
    // All processes share the store, and the first one has counted.
    return where === "everywhere" ? entries : 0;
  };

  const carryOut: OwnPurging = async (request, where) => {
    closing.signal.throwIfAborted();
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(maxPurgeMs)]);
    switch (request.verb) {
      case "PurgeInfoCache":
        forgetInfos();
        return { entries: 0 };
      case "PurgeInvalidFromCache":
        return { entries: await invalid(where, signal) };
      case "PurgePyramid":
      case "PurgePyramids":
        return { entries: await ofPyramids(request, where, signal) };
      default:
        return { entries: await some(scopeOf(request), where, signal) };
    }
  };

  return {
    async purge(request, where) {
      const removal = carryOut(request, where);
      underWay.add(removal);
      try {
        return await removal;
      } finally {
        underWay.delete(removal);
      }
    },

    async close() {
      closing.abort(new ServerError("aborted", "The server is closing."));
      await settleWithin(underWay, closingTimes.purging);
    },
  };
};

type Scope = Exclude<PurgeScope, "images" | "memory">;

const imageOf = ({ verb, identifier }: TaskRequest): string =>
  identifier ?? fail("malformed", `${verb}: expected the identifier of an image, got none`);

const scopeOf = (request: TaskRequest): Scope => {
  if (request.verb === "PurgeCache") return "all";
  if (request.verb === "PurgeInfosFromCache") return "infos";
  return { image: imageOf(request) };
};

/** Announces the purge to other servers that share the cache. */
const purge = (purging: Purging, scope: Scope, signal: AbortSignal): Promise<number> => {
  if (typeof scope === "object") return purging.image(scope.image, signal);
  return scope === "all" ? purging.all(signal) : purging.infos(signal);
};
