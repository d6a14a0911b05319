import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { usePanel } from "../panel.ts";
import { messageOf } from "../server/api.ts";
import type { ChangeProblem } from "../server/wire.ts";
import type { Edits } from "./draft.ts";

/** What the server says of edits. */
export interface Check {
  /** What is wrong, by key. */
  readonly byKey: Readonly<Record<string, string>>;
  /** What is wrong with no key in particular, and why it cannot be said. */
  readonly others: readonly string[];
  /** The edits are being looked at. */
  readonly busy: boolean;
}

/** Milliseconds without another letter after which the server is asked. */
const pause = 250;

/** Asks the server about edits whenever they change; it changes nothing there. */
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
        problems.value = [
          { message: `It cannot be said whether this is right. ${messageOf(error)}` },
        ];
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

/** Problems by key; those of keys that are not edited are told apart. */
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
