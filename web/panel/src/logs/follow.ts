import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { usePanel } from "../panel.ts";
import { messageOf } from "../server/api.ts";
import { repeat } from "../server/repeating.ts";
import type { LogEntry, LogPage } from "../server/wire.ts";
import { type Lines, merged, type Query, queryText } from "./lines.ts";

/** Polling interval in milliseconds. */
const pace = 1_500;
/** Milliseconds after the last keystroke until the server is asked for other entries. */
const pause = 250;

/** The entries to show. */
export interface Followed {
  /** Undefined until the first ones have arrived. */
  readonly lines: readonly LogEntry[] | undefined;
  /** Number of entries that the server keeps. */
  readonly kept: number | undefined;
  readonly problem: string | undefined;
}

/** The entries that match a query, with new ones unless it is paused. */
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
