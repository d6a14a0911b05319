import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { usePanel } from "../panel.ts";
import { messageOf } from "../server/api.ts";
import { repeat } from "../server/repeating.ts";
import type { LogEntry, LogPage } from "../server/wire.ts";
import { type Lines, merged, type Query, queryText } from "./lines.ts";

/** Milliseconds between two questions. */
const pace = 1_500;
/** Milliseconds without another letter after which the server is asked for other lines. */
const pause = 250;

/** What there is to be shown. */
export interface Followed {
  /** Undefined until the first lines have come. */
  readonly lines: readonly LogEntry[] | undefined;
  /** How many the server keeps. */
  readonly kept: number | undefined;
  readonly problem: string | undefined;
}

/** Lines that a query finds, with those that come while it is not paused. */
export const useLines = (query: Query, paused: boolean): Followed => {
  const { api } = usePanel();
  const known = useRef<Lines | undefined>(undefined);
  const shown = useSignal<Lines | undefined>(undefined);
  const kept = useSignal<number | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const { level, text } = query;

  useEffect(() => {
    const wanted = { level, text };
    const same = known.current?.query.level === level && known.current.query.text === text;
    if (!same) known.current = undefined;
    if (paused && same) return;
    const act = async (signal: AbortSignal): Promise<void> => {
      try {
        const page = await api<LogPage>(`logs?${queryText(wanted, known.current?.last)}`, {
          signal,
        });
        known.current = merged(known.current, page, wanted);
        shown.value = known.current;
        kept.value = page.kept;
        problem.value = undefined;
      } catch (error) {
        if (!signal.aborted) problem.value = messageOf(error);
      }
    };
    const repeating = repeat({
      act,
      milliseconds: paused ? 0 : pace,
      after: shown.value === undefined ? 0 : pause,
    });
    return repeating.stop;
  }, [api, level, text, paused]);
  return { lines: shown.value?.entries, kept: kept.value, problem: problem.value };
};
