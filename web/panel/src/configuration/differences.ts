import type { ConfigurationEntry, ConfigurationReport } from "../server/wire.ts";
import type { Edits } from "./draft.ts";

/** A key to be changed. */
export interface Difference {
  readonly entry: ConfigurationEntry;
  /** As displayed; secrets are not. */
  readonly before: string;
  readonly after: string;
  /** Null for the default. */
  readonly value: string | null;
}

/** Replaces a secret, and an empty value. */
export const hidden = "••••••";
export const blank = "(blank)";

/** All entries, in the order of the report. */
export const entriesOf = (report: ConfigurationReport): readonly ConfigurationEntry[] =>
  report.groups.flatMap(({ entries }) => entries);

/** The server's value after any pending restart. */
export const settledValue = (entry: ConfigurationEntry): string => entry.waiting ?? entry.value;

/**
 * The differences that edits make, in the order of the report; keys that no longer exist are
 * omitted.
 */
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
 * The edits that revert others once they are saved. Previous secrets cannot be restored, since they
 * are unknown here: they are listed instead.
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
