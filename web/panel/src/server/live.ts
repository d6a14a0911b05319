import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { usePanel } from "../panel.ts";
import { messageOf } from "./api.ts";
import { repeat } from "./repeating.ts";

/** A resource that is polled while it is shown. */
export interface Live<T> {
  /** The latest value; undefined until the first response. */
  readonly value: ReadonlySignal<T | undefined>;
  /** The error of the latest attempt; undefined on success. */
  readonly problem: ReadonlySignal<string | undefined>;
  /** A response is pending. */
  readonly busy: ReadonlySignal<boolean>;
  /** Requests it at once. */
  readonly again: () => void;
}

interface Loop<T> extends Live<T> {
  readonly value: Signal<T | undefined>;
  readonly problem: Signal<string | undefined>;
  readonly busy: Signal<boolean>;
  /** Whether polling continues. */
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
 * Polls a path below `api/` at an interval that starts with each response; pauses while the page is
 * hidden. 0 seconds request it once. `milliseconds` is the time limit of a response, if given.
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
