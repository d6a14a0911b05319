/** A repeated action. */
export interface Repeating {
  /** Runs it now, unless it is running. */
  now(): void;
  stop(): void;
}

interface Work {
  /** Never fails: it handles its own errors. */
  readonly act: (signal: AbortSignal) => Promise<void>;
  /** From the end of one run to the beginning of the next; 0 for a single run. */
  readonly milliseconds: number;
  /** Until the first run. */
  readonly after?: number;
}

/** Repeats an action, except while the page is hidden. */
export const repeat = ({ act, milliseconds, after = 0 }: Work): Repeating => {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let acting = false;
  const plan = (wait: number): void => {
    clearTimeout(timer);
    timer = setTimeout(turn, wait);
  };
  const turn = async (): Promise<void> => {
    clearTimeout(timer);
    if (acting || ending.signal.aborted) return;
    acting = true;
    await act(ending.signal);
    acting = false;
    if (milliseconds > 0 && !document.hidden) plan(milliseconds);
  };
  const onShown = (): void => {
    if (!document.hidden && milliseconds > 0) plan(0);
  };
  document.addEventListener("visibilitychange", onShown);
  plan(after);
  return {
    now: () => plan(0),
    stop() {
      ending.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onShown);
    },
  };
};
