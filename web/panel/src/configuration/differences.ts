import type { ConfigurationEntry, ConfigurationReport } from "../server/wire.ts";
import type { Edits } from "./draft.ts";

/** A key that is to be changed. */
export interface Difference {
  readonly entry: ConfigurationEntry;
  /** As they are shown; secrets are not. */
  readonly before: string;
  readonly after: string;
  /** Null for the default. */
  readonly value: string | null;
}

/** What stands in the place of a secret, and of a value that is blank. */
export const hidden = "••••••";
export const blank = "(blank)";

/** All entries, in the order of the report. */
export const entriesOf = (report: ConfigurationReport): readonly ConfigurationEntry[] =>
  report.groups.flatMap(({ entries }) => entries);

/** The value that the server will have, once all that waits for a restart has happened. */
export const settledValue = (entry: ConfigurationEntry): string => entry.waiting ?? entry.value;

/** What edits come to, in the order of the report; keys that no longer exist are left out. */
export const differences = (report: ConfigurationReport, edits: Edits): readonly Difference[] =>
  entriesOf(report).flatMap((entry) => {
    const value = edits[entry.key];
    if (value === undefined) return [];
    const shown = (text: string): string => (text === "" ? blank : entry.secret ? hidden : text);
    return [
      {
        entry,
        before: shown(settledValue(entry)),
        after: value === null ? `${shown(entry.default)} (default)` : shown(value),
        value,
      },
    ];
  });

/**
 * The edits that take back others once they are saved. Secrets that were set cannot be put back,
 * since nobody here knows them: they are named instead.
 */
export const reversed = (
  report: ConfigurationReport,
  edits: Edits,
): { readonly edits: Edits; readonly lost: readonly string[] } => {
  const back: Record<string, string | null> = {};
  const lost: string[] = [];
  for (const { entry } of differences(report, edits)) {
    const before = settledValue(entry);
    if (entry.origin.layer === "default") back[entry.key] = null;
    else if (entry.secret && before !== "") lost.push(entry.key);
    else back[entry.key] = before;
  }
  return { edits: back, lost };
};
