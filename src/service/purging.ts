import type { Amount, Cache } from "../caches/cache.ts";
import { infoPrefix, prefixesOf } from "../caches/names.ts";
import type { SourceFiles } from "../caches/source-files.ts";
import type { Infos } from "./infos.ts";

/** Lets go of what is kept, in this process and where it is kept for others. */
export interface Purging {
  /** Everything of one image, a copy of its file included; how many entries there were. */
  image(identifier: string, signal?: AbortSignal): Promise<number>;
  /** What is known of all images; their pictures stay. */
  infos(signal?: AbortSignal): Promise<number>;
  /** What is too old or too much. */
  invalid(signal?: AbortSignal): Promise<Amount>;
  all(signal?: AbortSignal): Promise<number>;
}

/** Where things are kept that may be purged. */
export interface Purged {
  readonly infos: Pick<Infos, "forgetAll">;
  readonly cache: Cache | undefined;
  /** Copies of files from sources elsewhere. */
  readonly copies?: Pick<SourceFiles, "remove"> | undefined;
}

/** Purging of what `infos` remember, of a cache and of copies, where there are any. */
export const createPurging = ({ infos, cache, copies }: Purged): Purging => {
  const removeCopies = async (identifier: string | undefined, signal?: AbortSignal) =>
    (await copies?.remove(identifier, signal ?? new AbortController().signal)) ?? 0;
  const removeAll = async (prefixes: readonly string[], signal?: AbortSignal): Promise<number> => {
    let removed = 0;
    for (const prefix of prefixes) removed += (await cache?.remove(prefix, signal)) ?? 0;
    return removed;
  };
  return {
    async image(identifier, signal) {
      infos.forgetAll(identifier);
      const removed = await removeAll(prefixesOf(identifier), signal);
      return removed + (await removeCopies(identifier, signal));
    },
    async infos(signal) {
      infos.forgetAll();
      return removeAll([infoPrefix], signal);
    },
    invalid: async (signal) => (await cache?.sweep(signal)) ?? { entries: 0, bytes: 0 },
    async all(signal) {
      infos.forgetAll();
      return (await removeAll([""], signal)) + (await removeCopies(undefined, signal));
    },
  };
};
