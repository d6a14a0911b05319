import type { Amount, Cache } from "../caches/cache.ts";
import { derivativePrefix, infoPrefix } from "../caches/names.ts";
import { type PurgeScope, prefixesIn } from "../caches/purge-record.ts";
import type { Purges } from "../caches/purges.ts";
import type { SourceFiles } from "../caches/source-files.ts";
import type { Infos } from "./infos.ts";

/** Removes cached data in this process and in shared caches. */
export interface Purging {
  /** Everything of one image, including a copy of its file; returns the number of entries. */
  image(identifier: string, signal?: AbortSignal): Promise<number>;
  /** All infos; derivatives stay. */
  infos(signal?: AbortSignal): Promise<number>;
  /** Expired entries and those beyond the size limit. */
  invalid(signal?: AbortSignal): Promise<Amount>;
  all(signal?: AbortSignal): Promise<number>;
  /**
   * Purges without announcing it to other servers, including this process's memory; returns the
   * number of entries.
   */
  remove(scope: PurgeScope, signal?: AbortSignal): Promise<Removed>;
  /** Applies another server's purge to this process and machine. */
  follow(scopes: readonly PurgeScope[], signal?: AbortSignal): Promise<void>;
}

/** The result of a purge. */
export interface Removed {
  readonly entries: number;
  /** Copies of remote source files. */
  readonly copies: number;
}

/** Caches that can be purged. */
export interface Purged {
  /** Absent without infos. */
  readonly infos?: Pick<Infos, "forgetAll">;
  readonly cache: Cache | undefined;
  /** For a shared cache: the servers that share it, and its entries in this process's memory. */
  readonly shared?:
    | {
        readonly purges: Pick<Purges, "tell">;
        forget(prefixes: readonly string[]): Promise<void>;
      }
    | undefined;
  /** Copies of remote source files. */
  readonly copies?: Pick<SourceFiles, "remove"> | undefined;
  /** Pyramids made of images; absent: none are. */
  readonly pyramids?: PurgedPyramids | undefined;
}

/** Pyramids that can be purged. */
export interface PurgedPyramids {
  /** Removes the pyramids of an image, or all; returns what it removed. */
  remove(identifier: string | undefined, signal: AbortSignal): Promise<Amount>;
}

/**
 * For more images than this in one purge, memory is cleared entirely rather than searched for each.
 */
const maxSought = 20;

/** Purging of infos, a cache and copies, as far as present. */
export const createPurging = ({ infos, cache, shared, copies, pyramids }: Purged): Purging => {
  const forgetInfos = (scope: PurgeScope): void => {
    if (typeof scope === "object") infos?.forgetAll(scope.image);
    else if (scope !== "images") infos?.forgetAll();
  };

  const removeCopies = async (scope: PurgeScope, signal: AbortSignal): Promise<number> => {
    if (typeof scope === "object") return (await copies?.remove(scope.image, signal)) ?? 0;
    return scope === "all" ? ((await copies?.remove(undefined, signal)) ?? 0) : 0;
  };

  const removePyramids = async (scope: PurgeScope, signal: AbortSignal): Promise<number> => {
    const identifier = typeof scope === "object" ? scope.image : undefined;
    if (pyramids === undefined || (identifier === undefined && scope !== "all")) return 0;
    return (await pyramids.remove(identifier, signal)).entries;
  };

  const remove: Purging["remove"] = async (scope, signal = new AbortController().signal) => {
    forgetInfos(scope);
    let entries = 0;
    for (const prefix of prefixesIn(scope)) entries += (await cache?.remove(prefix, signal)) ?? 0;
    entries += await removePyramids(scope, signal);
    return { entries, copies: await removeCopies(scope, signal) };
  };

  /**
   * Other servers are told afterwards, and only of actual removals: clients may request images that
   * never existed.
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
      for (const scope of scopes) {
        await removePyramids(scope, signal);
        await removeCopies(scope, signal);
      }
    },
  };
};
