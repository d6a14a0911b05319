import { inParts } from "./objects.ts";

/** How a service removes objects. */
export interface Removing {
  /** Maximum number of objects that one request may remove. */
  readonly batchKeys: number;
  /** Maximum number of such requests of one call in flight. */
  readonly concurrentBatches: number;
  one(key: string, signal: AbortSignal): Promise<void>;
  /** Removes many by one request; returns the error where the service does not support that. */
  batch(keys: readonly string[], signal: AbortSignal): Promise<unknown>;
}

const singlesAtOnce = 16;

/**
 * Removes objects by as few requests as the service accepts; it learns whether batches are
 * supported.
 */
export const removal = ({ batchKeys, concurrentBatches, one, batch }: Removing) => {
  let isRefused = false;
  const singly = (keys: readonly string[], signal: AbortSignal): Promise<void> =>
    inParts(keys, { size: 1, concurrency: singlesAtOnce }, ([key = ""]) => one(key, signal));
  return async (keys: readonly string[], signal: AbortSignal): Promise<void> => {
    if (isRefused || keys.length === 1) return singly(keys, signal);
    await inParts(keys, { size: batchKeys, concurrency: concurrentBatches }, async (part) => {
      if (!isRefused && (await batch(part, signal)) === undefined) return;
      // Where single requests fail as well, batching was not the reason.
      await singly(part, signal);
      isRefused = true;
    });
  };
};
