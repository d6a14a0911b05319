import type { Amount } from "../caches/cache.ts";
import type { Config } from "../config/store.ts";
import type { Logger } from "../core/log.ts";
import { cachingKeys } from "./caching-keys.ts";
import { closingTimes } from "./closing.ts";

/** A place that is swept periodically. */
export interface SweptPlace {
  /** Its name in the log. */
  readonly name: string;
  sweep(signal: AbortSignal): Promise<Amount>;
}

/** The timing of sweeps, in milliseconds. */
export interface SweepTimes {
  /** From the start to the first sweep. */
  readonly firstMs: number;
  /** From the end of a sweep to the next. */
  readonly intervalMs: number;
  /** Time limit of sweeping one place; the next one follows. */
  readonly maxMs: number;
}

/** Periodic sweeps. */
export interface Sweeping {
  /** Aborts a running sweep; none runs once this has resolved. */
  stop(): Promise<void>;
}

const firstMs = 60_000;
const maxMs = 3_600_000;
/** Maximum of timers: three and a half weeks. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Sweeps by the keys `cache.server.worker.*`; undefined where they are off. Of the processes that
 * share a place only one should sweep.
 */
export const sweepAsConfigured = (
  config: Config,
  places: readonly SweptPlace[],
  log: Logger,
): Sweeping | undefined => {
  const settings = config.view(cachingKeys)();
  if (!settings["cache.server.worker.enabled"] || places.length === 0) return undefined;
  const intervalMs = settings["cache.server.worker.interval"] * 1_000;
  return startSweeping(places, { firstMs, intervalMs, maxMs }, log);
};

/** Sweeps places one after the other, periodically, and logs what was removed. */
export const startSweeping = (
  places: readonly SweptPlace[],
  { firstMs, intervalMs, maxMs }: SweepTimes,
  log: Logger,
): Sweeping => {
  let stopped = false;
  let running: Promise<void> | undefined;
  let giveUp: ((reason: Error) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  const later = (ms: number): void => {
    timer = setTimeout(
      () => {
        running = run();
      },
      Math.min(ms, maxTimerMs),
    );
    // Sweeping must not keep the process alive.
    timer.unref();
  };

  const run = async (): Promise<void> => {
    for (const place of places) if (!stopped) await sweepOne(place);
    if (!stopped) later(intervalMs);
  };

  const sweepOne = async ({ name, sweep }: SweptPlace): Promise<void> => {
    const leaving = new AbortController();
    giveUp = (reason) => leaving.abort(reason);
    const deadline = setTimeout(giveUp, maxMs, new Error(`it took longer than ${maxMs} ms`));
    const began = performance.now();
    const seconds = (): number => Math.round(performance.now() - began) / 1_000;
    try {
      const { entries, bytes } = await sweep(leaving.signal);
      log.info("A cache was swept", { cache: name, entries, bytes, seconds: seconds() });
    } catch (error) {
      if (stopped) return;
      log.warn("A sweep of a cache did not finish; the next one continues.", {
        cache: name,
        seconds: seconds(),
        error,
      });
    } finally {
      clearTimeout(deadline);
    }
  };

  later(firstMs);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      giveUp?.(new Error("the server stops"));
      let patience: NodeJS.Timeout | undefined;
      await Promise.race([
        running,
        new Promise((resolve) => {
          patience = setTimeout(resolve, closingTimes.sweeping);
        }),
      ]);
      clearTimeout(patience);
    },
  };
};
