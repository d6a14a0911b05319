import { untilAborted } from "../core/abort.ts";

/**
 * What takes a while to find out, `maxMs` milliseconds at most, found out once, and again after
 * it failed or was forgotten.
 */
export const remembered = <T>(maxMs: number, find: (signal: AbortSignal) => Promise<T>) => {
  let found: Promise<T> | undefined;
  const forget = (): void => {
    found = undefined;
  };
  const start = (): Promise<T> => {
    // Those who wait for it come and go: it has a limit of its own.
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
