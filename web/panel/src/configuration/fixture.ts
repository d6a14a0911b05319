import type { ConfigurationEntry, ConfigurationReport, Definition } from "../server/wire.ts";

/** An entry for tests; unset unless stated otherwise. */
export const entryOf = (
  key: string,
  more: Partial<ConfigurationEntry> = {},
): ConfigurationEntry => ({
  key,
  definition: { type: "string", default: "", doc: "A text." } satisfies Definition,
  expects: "a text of one line",
  value: "",
  default: "",
  origin: { layer: "default" },
  variable: key.toUpperCase(),
  secret: false,
  ...more,
});

/** A report for tests, all entries in one group. */
export const reportOf = (...entries: readonly ConfigurationEntry[]): ConfigurationReport => ({
  groups: [{ title: "Things", entries }],
  files: ["vitrine.properties"],
  pending: [],
  unwritten: [],
  problems: [],
});
