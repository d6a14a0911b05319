import type { LogEntry, LogLevel, LogPage } from "../server/wire.ts";

/** Filters of entries. */
export interface Query {
  readonly level: LogLevel;
  /** In message or fields, ignoring case. */
  readonly text: string;
}

/** The entries that match a query. */
export interface Lines {
  readonly query: Query;
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** The number after which entries are new. */
  readonly last: number;
}

/** Maximum number of entries that the page keeps. */
export const maxLines = 2_000;
/** Number of entries requested at once. */
const limit = 500;

/** The query of a request for entries newer than a number, if given. */
export const queryText = ({ level, text }: Query, after: number | undefined): string => {
  const query = new URLSearchParams({ level, limit: String(limit) });
  if (text.trim() !== "") query.set("text", text.trim());
  if (after !== undefined) query.set("after", String(after));
  return query.toString();
};

/**
 * Appends a response's entries, up to the maximum. When the server restarts and counts from the
 * beginning, its entries follow all earlier ones.
 */
export const merged = (
  known: Lines | undefined,
  { entries, last }: Pick<LogPage, "entries" | "last">,
  query: Query,
): Lines => {
  if (known === undefined) return { query, entries, last };
  const restarted = last < known.last;
  const fresh = restarted ? entries : entries.filter(({ number }) => number > known.last);
  return {
    query,
    entries: fresh.length === 0 ? known.entries : [...known.entries, ...fresh].slice(-maxLines),
    // Entries before the restart was noticed are requested next time.
    last: restarted ? (fresh.at(-1)?.number ?? 0) : last,
  };
};

/** Fields as shown in a line: `name=value`, long ones truncated. */
export const fieldsText = (fields: LogEntry["fields"]): string =>
  Object.entries(fields)
    .filter(([name]) => name !== "worker")
    .map(([name, value]) => `${name}=${cut(textOf(value))}`)
    .join(" ");

/** Of an error, its message: the rest is shown on demand. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value;
  const message = (value as { readonly message?: unknown } | null)?.message;
  return typeof message === "string" ? message : JSON.stringify(value);
};

const longest = 120;

const cut = (text: string | undefined): string => {
  const line = (text ?? "").replace(/\s+/g, " ");
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
};
