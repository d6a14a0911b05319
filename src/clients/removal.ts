import { inParts } from "./objects.ts";

/** How a service removes objects. */
export interface Removing {
  /** The most that one request may remove. */
  readonly batchKeys: number;
  /** How many such requests of one call are under way at once. */
  readonly concurrentBatches: number;
  one(key: string, signal: AbortSignal): Promise<void>;
  /**
   * Removes many by one request; what it was refused with where the service has no such requests.
   */
  batch(keys: readonly string[], signal: AbortSignal): Promise<unknown>;
}

const singlesAtOnce = 16;

/**
 * Removes objects by as few requests as the service takes; it learns whether it takes those for
 * many.
 */
export const removal = ({ batchKeys, concurrentBatches, one, batch }: Removing) => {
  let isRefused = false;
  const singly = (keys: readonly string[], signal: AbortSignal): Promise<void> =>
    inParts(keys, { size: 1, concurrency: singlesAtOnce }, ([key = ""]) => one(key, signal));
  return async (keys: readonly string[], signal: AbortSignal): Promise<void> => {
    if (isRefused || keys.length === 1) return singly(keys, signal);
    await inParts(keys, { size: batchKeys, concurrency: concurrentBatches }, async (part) => {
      if (!isRefused && (await batch(part, signal)) === undefined) return;
      // Where single requests fail as well, it was not for being many.
      await singly(part, signal);
      isRefused = true;
    });
  };
};
