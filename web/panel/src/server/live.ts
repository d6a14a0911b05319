import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { usePanel } from "../panel.ts";
import { messageOf } from "./api.ts";
import { repeat } from "./repeating.ts";

/** Something of the server's that is asked for again and again while it is shown. */
export interface Live<T> {
  /** The latest; undefined until the first has come. */
  readonly value: ReadonlySignal<T | undefined>;
  /** Why the latest attempt failed; undefined where it did not. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** An answer is awaited. */
  readonly busy: ReadonlySignal<boolean>;
  /** Asks at once. */
  readonly again: () => void;
}

interface Loop<T> extends Live<T> {
  readonly value: Signal<T | undefined>;
  readonly problem: Signal<string | undefined>;
  readonly busy: Signal<boolean>;
  /** Set while it goes on. */
  now?: () => void;
}

const createLoop = <T>(): Loop<T> => {
  const loop: Loop<T> = {
    value: signal(undefined),
    problem: signal(undefined),
    busy: signal(false),
    again: () => loop.now?.(),
  };
  return loop;
};

/**
 * Asks for a path below `api/` every so many seconds, each time the answer has come; not while the
 * page is hidden. 0 seconds ask once. An answer is waited for `milliseconds`, where that is given.
 */
export const useLive = <T>(path: string, seconds: number, milliseconds?: number): Live<T> => {
  const { api } = usePanel();
  const loop = useMemo(() => createLoop<T>(), [path]);
  useEffect(() => {
    const act = async (signal: AbortSignal): Promise<void> => {
      loop.busy.value = true;
      try {
        loop.value.value = await api<T>(path, {
          signal,
          ...(milliseconds === undefined ? {} : { milliseconds }),
        });
        loop.problem.value = undefined;
      } catch (error) {
        if (!signal.aborted) loop.problem.value = messageOf(error);
      } finally {
        loop.busy.value = false;
      }
    };
    const repeating = repeat({ act, milliseconds: seconds * 1000 });
    loop.now = repeating.now;
    return repeating.stop;
  }, [loop, api, path, seconds, milliseconds]);
  return loop;
};
