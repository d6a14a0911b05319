import type { ConfigurationEntry, ConfigurationGroup } from "../server/wire.ts";
import type { Edits } from "./draft.ts";

/** Which keys are shown. */
export const filters = ["all", "set", "edited", "waiting"] as const;
export type Filter = (typeof filters)[number];

/** Whether a key matches a filter. */
const passes: Readonly<Record<Filter, (entry: ConfigurationEntry, edits: Edits) => boolean>> = {
  all: () => true,
  set: ({ origin }) => origin.layer !== "default",
  edited: ({ key }, edits) => edits[key] !== undefined,
  waiting: ({ waiting }) => waiting !== undefined,
};

/**
 * Groups with the keys that match a filter and contain all words of a text, ignoring case; without
 * empty groups.
 */
export const found = (
  groups: readonly ConfigurationGroup[],
  wanted: { readonly text: string; readonly filter: Filter; readonly edits: Edits },
): readonly ConfigurationGroup[] => {
  const words = wanted.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return groups.flatMap((group) => {
    const entries = group.entries.filter((entry) => {
      if (!passes[wanted.filter](entry, wanted.edits)) return false;
      const text = textOf(entry, group.title);
      return words.every((word) => text.includes(word));
    });
    return entries.length === 0 ? [] : [{ ...group, entries }];
  });
};

const textOf = (
  { key, definition, value, variable, secret }: ConfigurationEntry,
  title: string,
): string => [key, title, definition.doc, secret ? "" : value, variable].join("\n").toLowerCase();
