import type { LogEntry, LogLevel, LogPage } from "../server/wire.ts";

/** Which lines are wanted. */
export interface Query {
  readonly level: LogLevel;
  /** In message or fields, whatever the case. */
  readonly text: string;
}

/** Lines that a query found. */
export interface Lines {
  readonly query: Query;
  /** The oldest first. */
  readonly entries: readonly LogEntry[];
  /** The number after which lines are new. */
  readonly last: number;
}

/** How many lines the page keeps. */
export const maxLines = 2_000;
/** How many are asked for at once. */
const limit = 500;

/** The query of a request, for what is newer than a number, where one is given. */
export const queryText = ({ level, text }: Query, after: number | undefined): string => {
  const query = new URLSearchParams({ level, limit: String(limit) });
  if (text.trim() !== "") query.set("text", text.trim());
  if (after !== undefined) query.set("after", String(after));
  return query.toString();
};

/**
 * Lines with those of a page behind them, no more than are kept. Where the server counts from the
 * beginning again, since it was started again, its lines follow all that were there before.
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
    // What the server wrote before it was asked again is asked for next time.
    last: restarted ? (fresh.at(-1)?.number ?? 0) : last,
  };
};

/** Fields as they are shown in a line: `name=value`, long ones cut. */
export const fieldsText = (fields: LogEntry["fields"]): string =>
  Object.entries(fields)
    .filter(([name]) => name !== "worker")
    .map(([name, value]) => `${name}=${cut(textOf(value))}`)
    .join(" ");

/** Of an error, what it says: all else of it is shown on demand. */
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
