import type { Sql, SqlRow, Statement } from "../clients/sql.ts";
import type { Amount } from "./cache.ts";
import type { Columns } from "./jdbc-columns.ts";
import type { JdbcDialect, TableNames } from "./jdbc-dialects.ts";
import { entryName, infoPrefix } from "./names.ts";
import type { Notes, StoredBytes } from "./store.ts";

/** An entry in the order of use. */
export interface UsedEntry {
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The entries of a table. */
export interface Table {
  /** For a row that is no entry. */
  readonly notes: Notes;
  /** Maximum bytes of an entry. */
  readonly maxBytes: number;
  get(name: string, signal: AbortSignal): Promise<StoredBytes | undefined>;
  put(name: string, bytes: Uint8Array, at: Date, signal: AbortSignal): Promise<void>;
  touch(name: string, at: Date, signal: AbortSignal): Promise<void>;
  /**
   * Removes an entry, or all whose names begin with a prefix that ends in a slash; returns the
   * number.
   */
  remove(prefix: string, signal: AbortSignal): Promise<number>;
  /** Some of the least recently used entries, oldest first; before a time, where one is given. */
  oldest(before: Date | undefined, signal: AbortSignal): Promise<readonly UsedEntry[]>;
  drop(names: readonly string[], signal: AbortSignal): Promise<number>;
  /** Number and bytes of all entries, or of those that `remove` would remove. */
  stats(signal: AbortSignal, prefix?: string): Promise<Amount>;
}

/** Maximum number of rows named by a statement: others wait for as long as it takes. */
const batch = 500;
/** Maximum number of adjacent rows that it removes. */
const largeBatch = 5_000;

/** The table with these names; `first` is the common prefix of its entries. */
export const tableOn = (
  sql: Sql,
  names: TableNames,
  columns: Columns,
  { dialect, first }: { readonly dialect: JdbcDialect; readonly first: string },
): Table => {
  const { name, value } = names;
  const table = dialect.quote(names.table);
  const letters = dialect.byLetter(name, columns.collation);
  const time = dialect.toTime(columns.timeType);
  const at = dialect.fromTime("last_accessed");
  const size = columns.hasBytes ? "bytes" : `octet_length(${value})`;
  const within = `${letters} > ? AND ${letters} < ?`;
  // In a table that others write to as well, rows that are not ours are excluded from every count,
  // as are notes.
  const oursIn = (prefix: string): Statement => {
    if (!prefix.endsWith("/")) return { text: `${name} = ?`, values: [prefix] };
    const ofOurs = columns.hasBytes ? "" : ` AND length(${name}) = ${lengthOf(first)}`;
    return { text: `${within}${ofOurs}`, values: [prefix, after(prefix)] };
  };
  const ours: Statement = columns.hasBytes ? { text: "bytes >= 0" } : oursIn(first);

  // Where names are unique, an ORDER BY would only tempt the database to use another index.
  const latest = columns.isUnique ? "" : " ORDER BY last_accessed DESC LIMIT 1";
  const insert = `INSERT INTO ${table} (${name}, last_accessed, ${value}${columns.hasBytes ? ", bytes" : ""}) VALUES (?, ${time}, ?${columns.hasBytes ? ", ?" : ""})`;
  const written = ["last_accessed", value, ...(columns.hasBytes ? ["bytes"] : [])];
  const dropSome = `DELETE FROM ${table} WHERE ${name} IN (${new Array(batch).fill("?").join(", ")})`;
  const dropOne = `DELETE FROM ${table} WHERE ${name} = ?`;

  const drop: Table["drop"] = async (found, signal) => {
    let count = 0;
    for (let n = 0; n < found.length; n += batch) {
      const some = found.slice(n, n + batch);
      const [only = ""] = some;
      // Always the same number of names, so that it is always the same prepared statement.
      const values = [...some, ...new Array<string>(batch - some.length).fill(only)];
      const statement =
        some.length === 1 ? { text: dropOne, values: some } : { text: dropSome, values };
      count += (await sql.run(statement, signal)).changes;
    }
    return count;
  };

  const removeRange: Table["remove"] = async (prefix, signal) => {
    const text = dialect.dropSome(table, name, within, largeBatch);
    let count = 0;
    for (;;) {
      const { changes } = await sql.run({ text, values: [prefix, after(prefix)] }, signal);
      count += changes;
      if (changes < largeBatch) return count;
    }
  };

  /** From a table that is not ours alone: checks each name before removing it. */
  const removeOurs: Table["remove"] = async (prefix, signal) => {
    const text = `SELECT ${name} AS name FROM ${table} WHERE ${within} ORDER BY ${letters} LIMIT ${batch}`;
    let count = 0;
    let from = prefix;
    for (;;) {
      const { rows } = await sql.run({ text, values: [from, after(prefix)] }, signal);
      const found = rows.map((row) => textOf(row, "name"));
      count += await drop(found.filter(isEntryOf(prefix)), signal);
      const lastOne = found.at(-1);
      if (lastOne === undefined || rows.length < batch) return count;
      from = lastOne;
    }
  };

  const get: Table["get"] = async (entry, signal) => {
    const { rows } = await sql.run(
      {
        text: `SELECT ${value} AS kept, ${at} AS used FROM ${table} WHERE ${name} = ?${latest}`,
        values: [entry],
      },
      signal,
    );
    const bytes = rows[0] && bytesOf(rows[0]["kept"], columns);
    return bytes && { bytes, usedAt: new Date(numberOf(rows[0], "used")) };
  };

  const write = async (
    { entry, bytes, counted, used }: RowValues,
    signal: AbortSignal,
  ): Promise<void> => {
    const kept = columns.form === "base64" ? Buffer.from(bytes).toString("base64") : bytes;
    const values = [entry, used.getTime(), kept, ...(columns.hasBytes ? [counted] : [])];
    const statements = columns.isUnique
      ? [{ text: `${insert} ${dialect.replacing(name, written)}`, values }]
      : [
          { text: dropOne, values: [entry] },
          { text: insert, values },
        ];
    // A transaction even for one row: an aborted write must not take effect after a purge.
    await sql.runAll(statements, signal);
  };

  return {
    maxBytes: columns.maxBytes,

    notes: {
      read: async (signal) => (await get(notesName, signal))?.bytes,
      write: (bytes, signal) =>
        write({ entry: notesName, bytes, counted: -1, used: new Date() }, signal),
    },

    get,

    put: (entry, bytes, used, signal) =>
      write({ entry, bytes, counted: bytes.length, used }, signal),

    async touch(entry, used, signal) {
      const text = `UPDATE ${table} SET last_accessed = ${time} WHERE ${name} = ?`;
      await sql.run({ text, values: [used.getTime(), entry] }, signal);
    },

    async remove(prefix, signal) {
      if (!prefix.endsWith("/")) return drop([prefix], signal);
      return columns.hasBytes ? removeRange(prefix, signal) : removeOurs(prefix, signal);
    },

    async oldest(before, signal) {
      const old = before ? `AND last_accessed < ${time}` : "";
      const { rows } = await sql.run(
        {
          text: `SELECT ${name} AS name, ${size} AS bytes, ${at} AS used FROM ${table} WHERE ${ours.text} ${old} ORDER BY last_accessed LIMIT ${batch}`,
          values: [...(ours.values ?? []), ...(before ? [before.getTime()] : [])],
        },
        signal,
      );
      return rows
        .map((row) => ({
          name: textOf(row, "name"),
          bytes: numberOf(row, "bytes"),
          at: numberOf(row, "used"),
        }))
        .filter((entry) => isEntryOf(first)(entry.name));
    },

    drop,

    async stats(signal, prefix) {
      const counted = prefix === undefined ? ours : oursIn(prefix);
      const text = `SELECT COUNT(*) AS entries, COALESCE(SUM(${size}), 0) AS bytes FROM ${table} WHERE ${counted.text}`;
      const { rows } = await sql.run({ ...counted, text }, signal);
      return { entries: numberOf(rows[0], "entries"), bytes: numberOf(rows[0], "bytes") };
    },
  };
};

/** The values of a row; `counted` is its size in bytes. */
interface RowValues {
  readonly entry: string;
  readonly bytes: Uint8Array;
  readonly counted: number;
  readonly used: Date;
}

/** Unlike any entry's name. */
const notesName = "notes";

/** Length of the names that begin with a prefix. */
const lengthOf = (first: string): number => (first === infoPrefix ? 37 : 71);

/** The exclusive upper bound of names that begin with a prefix ending in a slash. */
const after = (prefix: string): string => `${prefix.slice(0, -1)}0`;

/** Rows of others may look like ours to the database. */
const isEntryOf =
  (prefix: string) =>
  (name: string): boolean =>
    name.startsWith(prefix) && entryName.test(name);

const bytesOf = (kept: unknown, { form }: Columns): Uint8Array | undefined => {
  if (form === "base64") return typeof kept === "string" ? Buffer.from(kept, "base64") : undefined;
  return kept instanceof Uint8Array ? kept : undefined;
};

const textOf = (row: SqlRow, column: string): string => {
  const text = row[column];
  return text instanceof Uint8Array ? Buffer.from(text).toString("latin1") : String(text);
};

const numberOf = (row: SqlRow | undefined, column: string): number =>
  Number(row?.[column] ?? 0) || 0;
