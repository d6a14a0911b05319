import type { Amount, Cache } from "../caches/cache.ts";
import { derivativePrefix, infoPrefix } from "../caches/names.ts";
import { type PurgeScope, prefixesIn } from "../caches/purge-record.ts";
import type { Purges } from "../caches/purges.ts";
import type { SourceFiles } from "../caches/source-files.ts";
import type { Infos } from "./infos.ts";

/** Releases what is kept, in this process and where it is kept for others. */
export interface Purging {
  /** Everything of one image, a copy of its file included; how many entries there were. */
  image(identifier: string, signal?: AbortSignal): Promise<number>;
  /** What is known of all images; their images stay. */
  infos(signal?: AbortSignal): Promise<number>;
  /** What is too old or too much. */
  invalid(signal?: AbortSignal): Promise<Amount>;
  all(signal?: AbortSignal): Promise<number>;
  /**
   * Removes what purges are about without telling others, this process's memory included; how much
   * there was.
   */
  remove(scope: PurgeScope, signal?: AbortSignal): Promise<Removed>;
  /** Releases what this process, and this machine, has of what somebody else purges. */
  follow(scopes: readonly PurgeScope[], signal?: AbortSignal): Promise<void>;
}

/** What a purge has removed. */
export interface Removed {
  readonly entries: number;
  /** Copies of files from sources elsewhere. */
  readonly copies: number;
}

/** Where things are kept that may be purged. */
export interface Purged {
  /** Absent where nobody has learned anything. */
  readonly infos?: Pick<Infos, "forgetAll">;
  readonly cache: Cache | undefined;
  /**
   * Where the cache is shared: those it is shared with, and what of it lies in the memory of this
   * process.
   */
  readonly shared?:
    | {
        readonly purges: Pick<Purges, "tell">;
        forget(prefixes: readonly string[]): Promise<void>;
      }
    | undefined;
  /** Copies of files from sources elsewhere. */
  readonly copies?: Pick<SourceFiles, "remove"> | undefined;
}

/**
 * When more images than this are purged at once, memory releases all rather than look for each.
 */
const maxSought = 20;

/** Purging of what `infos` remember, of a cache and of copies, where there are any. */
export const createPurging = ({ infos, cache, shared, copies }: Purged): Purging => {
  const forgetInfos = (scope: PurgeScope): void => {
    if (typeof scope === "object") infos?.forgetAll(scope.image);
    else if (scope !== "images") infos?.forgetAll();
  };

  const removeCopies = async (scope: PurgeScope, signal: AbortSignal): Promise<number> => {
    if (typeof scope === "object") return (await copies?.remove(scope.image, signal)) ?? 0;
    return scope === "all" ? ((await copies?.remove(undefined, signal)) ?? 0) : 0;
  };

  const remove: Purging["remove"] = async (scope, signal = new AbortController().signal) => {
    forgetInfos(scope);
    let entries = 0;
    for (const prefix of prefixesIn(scope)) entries += (await cache?.remove(prefix, signal)) ?? 0;
    return { entries, copies: await removeCopies(scope, signal) };
  };

  /**
   * Others are told afterwards, and only where there was something: anybody may ask for what never
   * was.
   */
  const purge = async (scope: PurgeScope, signal = new AbortController().signal) => {
    const { entries, copies } = await remove(scope, signal);
    if (entries + copies > 0) await shared?.purges.tell([scope], signal);
    return entries + copies;
  };

  return {
    image: (identifier, signal) => purge({ image: identifier }, signal),
    infos: (signal) => purge("infos", signal),
    invalid: async (signal) => (await cache?.sweep(signal)) ?? { entries: 0, bytes: 0 },
    all: (signal) => purge("all", signal),
    remove,
    async follow(scopes, signal = new AbortController().signal) {
      for (const scope of scopes) forgetInfos(scope);
      const prefixes = new Set(scopes.flatMap(prefixesIn));
      const isMuch = prefixes.size > maxSought || scopes.includes("memory");
      await shared?.forget(isMuch ? [derivativePrefix, infoPrefix] : [...prefixes]);
      for (const scope of scopes) await removeCopies(scope, signal);
    },
  };
};
