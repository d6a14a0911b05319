import type { PurgeScope } from "../caches/purge-record.ts";
import { settledWithin } from "../core/abort.ts";
import { fail, ServerError } from "../core/errors.ts";
import { closingTimes } from "../service/closing.ts";
import type { Purging } from "../service/purging.ts";
import type { PurgePlace } from "./member.ts";
import type { Removal, TaskRequest } from "./task.ts";

/** Removes what a task is about, everywhere or from what this process has of its own. */
export type OwnPurging = (request: TaskRequest, where: PurgePlace) => Promise<Removal>;

/** After so many milliseconds a purge is given up. */
const maxMs = 6 * 3_600_000;

/** Purges under way in this process. */
export interface ProcessPurging {
  readonly purge: OwnPurging;
  /** Gives up what is under way, waits a while until it has ended, and begins nothing any more. */
  close(): Promise<void>;
}

/** What a purge reaches. */
export interface OwnPurgingParts {
  readonly purging: Purging;
  /** Whether finished images are kept outside this process. */
  readonly isShared: boolean;
  /** Releases what is known of images and their files in this process. */
  readonly forgetInfos: () => void;
  /** Releases copies of source files that are too old or too much; how many there were. */
  readonly sweepCopies: (signal: AbortSignal) => Promise<number>;
}

export const ownPurging = (parts: OwnPurgingParts): ProcessPurging => {
  const { purging, isShared, forgetInfos, sweepCopies } = parts;
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

  const carryOut: OwnPurging = async (request, where) => {
    closing.signal.throwIfAborted();
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(maxMs)]);
    switch (request.verb) {
      case "PurgeInfoCache":
        forgetInfos();
        return { entries: 0 };
      case "PurgeInvalidFromCache":
        return { entries: await invalid(where, signal) };
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
      await settledWithin(underWay, closingTimes.purging);
    },
  };
};

type Scope = Exclude<PurgeScope, "images" | "memory">;

const scopeOf = ({ verb, identifier }: TaskRequest): Scope => {
  if (verb === "PurgeCache") return "all";
  if (verb === "PurgeInfosFromCache") return "infos";
  return identifier === undefined
    ? fail("malformed", `${verb}: expected the identifier of an image, got none`)
    : { image: identifier };
};

/** Others that share the cache are told, too. */
const purge = (purging: Purging, scope: Scope, signal: AbortSignal): Promise<number> => {
  if (typeof scope === "object") return purging.image(scope.image, signal);
  return scope === "all" ? purging.all(signal) : purging.infos(signal);
};
