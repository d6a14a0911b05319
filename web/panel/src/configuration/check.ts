import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { usePanel } from "../panel.ts";
import { messageOf } from "../server/api.ts";
import type { ChangeProblem } from "../server/wire.ts";
import type { Edits } from "./draft.ts";

/** The server's check of edits. */
export interface Check {
  /** Faults by key. */
  readonly byKey: Readonly<Record<string, string>>;
  /** Faults of no particular key, and why a check was impossible. */
  readonly others: readonly string[];
  /** The edits are being checked. */
  readonly busy: boolean;
}

/** Milliseconds after the last keystroke until the server is asked. */
const pause = 250;

/** Has the server check edits whenever they change, without applying them. */
export const useCheck = (edits: Edits): Check => {
  const { api } = usePanel();
  const problems = useSignal<readonly ChangeProblem[]>([]);
  const busy = useSignal(false);
  useEffect(() => {
    if (Object.keys(edits).length === 0) {
      problems.value = [];
      busy.value = false;
      return;
    }
    busy.value = true;
    const ending = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const answer = await api<{ readonly problems: readonly ChangeProblem[] }>(
          "configuration/check",
          { method: "POST", body: edits, signal: ending.signal },
        );
        problems.value = answer.problems;
      } catch (error) {
        if (ending.signal.aborted) return;
        problems.value = [{ message: `This could not be checked. ${messageOf(error)}` }];
      }
      busy.value = false;
    };
    const timer = setTimeout(ask, pause);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [api, edits]);
  const list = problems.value;
  return useMemo(() => ({ ...sorted(list, edits), busy: busy.value }), [list, edits, busy.value]);
};

/** Problems by key; those of unedited keys are separate. */
export const sorted = (
  problems: readonly ChangeProblem[],
  edits: Edits,
): Pick<Check, "byKey" | "others"> => {
  const byKey: Record<string, string> = {};
  const others: string[] = [];
  for (const { key, message } of problems) {
    if (key === undefined || edits[key] === undefined) others.push(message);
    else byKey[key] = byKey[key] === undefined ? message : `${byKey[key]} ${message}`;
  }
  return { byKey, others };
};
