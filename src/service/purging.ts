import type { Amount, Cache } from "../caches/cache.ts";
import { infoPrefix, prefixesOf } from "../caches/names.ts";
import type { Infos } from "./infos.ts";

/** Lets go of what is kept, in this process and where it is kept for others. */
export interface Purging {
  /** Everything of one image; how many entries there were. */
  image(identifier: string, signal?: AbortSignal): Promise<number>;
  /** What is known of all images; their pictures stay. */
  infos(signal?: AbortSignal): Promise<number>;
  /** What is too old or too much. */
  invalid(signal?: AbortSignal): Promise<Amount>;
  all(signal?: AbortSignal): Promise<number>;
}

/** Purging of what `infos` remember and of a cache, where there is one. */
export const createPurging = ({
  infos,
  cache,
}: {
  readonly infos: Pick<Infos, "forgetAll">;
  readonly cache: Cache | undefined;
}): Purging => {
  const removeAll = async (prefixes: readonly string[], signal?: AbortSignal): Promise<number> => {
    let removed = 0;
    for (const prefix of prefixes) removed += (await cache?.remove(prefix, signal)) ?? 0;
    return removed;
  };
  return {
    async image(identifier, signal) {
      infos.forgetAll(identifier);
      return removeAll(prefixesOf(identifier), signal);
    },
    async infos(signal) {
      infos.forgetAll();
      return removeAll([infoPrefix], signal);
    },
    invalid: async (signal) => (await cache?.sweep(signal)) ?? { entries: 0, bytes: 0 },
    async all(signal) {
      infos.forgetAll();
      return removeAll([""], signal);
    },
  };
};
