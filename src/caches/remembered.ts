import { untilAborted } from "../core/abort.ts";

/**
 * Caches an asynchronous result that takes at most `maxMs` milliseconds; computed again after a
 * failure or `forget`.
 */
export const remembered = <T>(maxMs: number, find: (signal: AbortSignal) => Promise<T>) => {
  let found: Promise<T> | undefined;
  const forget = (): void => {
    found = undefined;
  };
  const start = (): Promise<T> => {
    // Callers come and go: it has its own deadline.
    const finding = find(AbortSignal.timeout(maxMs));
    finding.catch(() => {
      if (found === finding) forget();
    });
    return finding;
  };
  return {
    get(signal: AbortSignal): Promise<T> {
      return untilAborted(signal, () => {
        found ??= start();
        return found;
      });
    },
    forget,
    isKnown: (): boolean => found !== undefined,
  };
};
