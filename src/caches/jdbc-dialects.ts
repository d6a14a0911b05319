import type { Dialect, Statement } from "../clients/sql.ts";

/**
 * The names of a table and of the columns that correspond to Cantaloupe's; all have `last_accessed`
 * as well.
 */
export interface TableNames {
  /** As configured, with or without a schema. */
  readonly table: string;
  /** The column of an entry's name. */
  readonly name: string;
  /** The column of its bytes. */
  readonly value: string;
}

/** How bytes are stored in a column: directly, or as base64 text. */
export type StatementForm = "bytes" | "base64";

/** The SQL dialect of a database, for tables of entries. */
export interface JdbcDialect {
  /** The quoted name of a table. */
  quote(table: string): string;
  /** Creates a table of our own. */
  create(names: TableNames): readonly string[];
  /** Creates the table of locks: a name, a token, and its expiry by the database's clock. */
  createLocks(table: string): string;
  /**
   * Queries the columns of a table: name, type, length, collation (`collated`) and whether it is
   * unique (`alone`).
   */
  columns(table: string): Statement;
  /** The types of columns of times, of bytes and of text that holds them. */
  readonly types: {
    readonly time: readonly string[];
    readonly image: readonly string[];
    readonly bytes: readonly string[];
    readonly text: readonly string[];
  };
  /** A `?` of milliseconds since 1970 as a value of a column of this type. */
  toTime(type: string): string;
  /** The milliseconds since 1970 of a column. */
  fromTime(column: string): string;
  /** A column of names, compared case-sensitively. */
  byLetter(column: string, collation: string | null): string;
  /** Clause after an INSERT that replaces an entry of the same name. */
  replacing(name: string, columns: readonly string[]): string;
  /** An INSERT INTO that does nothing where the name exists. */
  insertIfNew(table: string, columns: string, values: string): string;
  /** Deletes some rows of a table of our own, in the order of their names. */
  dropSome(table: string, name: string, where: string, max: number): string;
  /** Milliseconds since 1970 by the database's clock. */
  readonly now: string;
  /**
   * Queries the maximum length of a statement in bytes, as `max`; absent where there is no limit.
   */
  readonly maxBytes?: string;
  /** Settings before the first table of a database is created. */
  readonly before?: readonly string[];
}

const parts = (table: string): readonly string[] => table.split(".");
const last = (table: string): string => parts(table).at(-1) ?? table;

const onConflict = (name: string, columns: readonly string[]): string =>
  `ON CONFLICT (${name}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`;

// Unquoted names are in lower case there, and Cantaloupe never quoted.
const quotePostgresql = (table: string): string =>
  parts(table)
    .map((part) => `"${part.toLowerCase()}"`)
    .join(".");

const dropOf = (table: string, name: string, where: string, max: number): string =>
  `DELETE FROM ${table} WHERE ${name} IN (SELECT ${name} FROM ${table} WHERE ${where} ORDER BY ${name} LIMIT ${max})`;

const postgresql: JdbcDialect = {
  quote: quotePostgresql,
  create: ({ table, name, value }) => [
    `CREATE TABLE IF NOT EXISTS ${quotePostgresql(table)} (${name} varchar(4096) COLLATE "C" PRIMARY KEY, last_accessed timestamptz NOT NULL, bytes bigint NOT NULL, ${value} bytea NOT NULL)`,
    // Images are compressed already.
    `ALTER TABLE ${quotePostgresql(table)} ALTER COLUMN ${value} SET STORAGE EXTERNAL`,
    `CREATE INDEX IF NOT EXISTS "${last(table).toLowerCase()}_used" ON ${quotePostgresql(table)} (last_accessed, bytes)`,
  ],
  createLocks: (table) =>
    `CREATE TABLE IF NOT EXISTS ${quotePostgresql(table)} (name varchar(255) COLLATE "C" PRIMARY KEY, token varchar(64) NOT NULL, ends bigint NOT NULL)`,
  columns: (table) => ({
    text: `SELECT a.attname AS name, t.typname AS type, CASE WHEN a.atttypmod > 4 AND t.typname IN ('varchar', 'bpchar') THEN a.atttypmod - 4 END AS length, c.collname AS collated, EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) AS alone FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation c ON c.oid = a.attcollation WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped`,
    values: [quotePostgresql(table)],
  }),
  types: {
    time: ["timestamp", "timestamptz"],
    image: ["bytea"],
    bytes: ["bytea"],
    text: ["varchar", "text"],
  },
  toTime: (type) =>
    type === "timestamp"
      ? "timezone('UTC', to_timestamp(?::float8 / 1000))"
      : "to_timestamp(?::float8 / 1000)",
  fromTime: (column) => `(extract(epoch FROM ${column}) * 1000)::float8`,
  byLetter: (column, collation) =>
    collation === "C" || collation === "POSIX" ? column : `${column} COLLATE "C"`,
  replacing: onConflict,
  insertIfNew: (table, columns, values) =>
    `INSERT INTO ${table} (${columns}) VALUES (${values}) ON CONFLICT DO NOTHING`,
  dropSome: dropOf,
  now: "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
};

const quoteMysql = (table: string): string =>
  parts(table)
    .map((part) => `\`${part}\``)
    .join(".");

const since1970 = "TIMESTAMP '1970-01-01 00:00:00'";

const mysql: JdbcDialect = {
  quote: quoteMysql,
  create: ({ table, name, value }) => [
    `CREATE TABLE IF NOT EXISTS ${quoteMysql(table)} (${name} VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, last_accessed DATETIME(3) NOT NULL, bytes BIGINT NOT NULL, ${value} LONGBLOB NOT NULL, INDEX used (last_accessed, bytes)) ENGINE=InnoDB`,
  ],
  createLocks: (table) =>
    `CREATE TABLE IF NOT EXISTS ${quoteMysql(table)} (name VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, token VARCHAR(64) NOT NULL, ends BIGINT NOT NULL) ENGINE=InnoDB`,
  columns: (table) => {
    const [first = "", second] = parts(table);
    return {
      text: `SELECT c.column_name AS name, LOWER(c.data_type) AS type, c.character_maximum_length AS length, c.collation_name AS collated, EXISTS (SELECT 1 FROM information_schema.statistics s WHERE s.table_schema = c.table_schema AND s.table_name = c.table_name AND s.column_name = c.column_name AND s.non_unique = 0 AND s.sub_part IS NULL AND NOT EXISTS (SELECT 1 FROM information_schema.statistics o WHERE o.table_schema = s.table_schema AND o.table_name = s.table_name AND o.index_name = s.index_name AND o.seq_in_index > 1)) AS alone FROM information_schema.columns c WHERE c.table_schema = COALESCE(?, DATABASE()) AND c.table_name = ?`,
      values: second === undefined ? [null, first] : [first, second],
    };
  },
  types: {
    time: ["datetime", "timestamp"],
    image: ["longblob"],
    bytes: ["blob", "mediumblob", "longblob", "varbinary"],
    text: ["varchar", "text", "mediumtext", "longtext"],
  },
  toTime: () => `TIMESTAMPADD(MICROSECOND, CAST(? * 1000 AS SIGNED), ${since1970})`,
  fromTime: (column) => `TIMESTAMPDIFF(MICROSECOND, ${since1970}, ${column}) / 1000`,
  // The form of names makes any collation order them alike; equal ones are told apart later.
  byLetter: (column) => column,
  replacing: (_, columns) =>
    `ON DUPLICATE KEY UPDATE ${columns.map((column) => `${column} = VALUES(${column})`).join(", ")}`,
  insertIfNew: (table, columns, values) =>
    `INSERT IGNORE INTO ${table} (${columns}) VALUES (${values})`,
  dropSome: (table, name, where, max) =>
    `DELETE FROM ${table} WHERE ${where} ORDER BY ${name} LIMIT ${max}`,
  now: "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)",
  maxBytes: "SELECT @@max_allowed_packet AS most",
};

const quoteSqlite = (table: string): string =>
  parts(table)
    .map((part) => `"${part}"`)
    .join(".");

const sqlite: JdbcDialect = {
  quote: quoteSqlite,
  create: ({ table, name, value }) => [
    `CREATE TABLE IF NOT EXISTS ${quoteSqlite(table)} (${name} TEXT NOT NULL PRIMARY KEY, last_accessed INTEGER NOT NULL, bytes INTEGER NOT NULL, ${value} BLOB NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS "${last(table)}_used" ON ${quoteSqlite(last(table))} (last_accessed, bytes)`,
  ],
  createLocks: (table) =>
    `CREATE TABLE IF NOT EXISTS ${quoteSqlite(table)} (name TEXT NOT NULL PRIMARY KEY, token TEXT NOT NULL, ends INTEGER NOT NULL)`,
  columns: (table) => ({
    text: `SELECT p.name AS name, lower(p.type) AS type, NULL AS length, NULL AS collated, (p.pk = 1 AND (SELECT max(pk) FROM pragma_table_info(?)) = 1) OR EXISTS (SELECT 1 FROM pragma_index_list(?) l WHERE l."unique" = 1 AND l.partial = 0 AND (SELECT count(*) FROM pragma_index_info(l.name)) = 1 AND (SELECT name FROM pragma_index_info(l.name)) = p.name) AS alone FROM pragma_table_info(?) p`,
    values: [last(table), last(table), last(table)],
  }),
  // There, column types are only hints: every column takes any value.
  types: { time: [], image: [], bytes: [], text: [] },
  toTime: () => "?",
  fromTime: (column) => column,
  byLetter: (column) => column,
  replacing: onConflict,
  insertIfNew: (table, columns, values) =>
    `INSERT INTO ${table} (${columns}) VALUES (${values}) ON CONFLICT DO NOTHING`,
  dropSome: dropOf,
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  before: ["PRAGMA page_size = 8192", "PRAGMA journal_mode = WAL"],
};

export const jdbcDialects: Readonly<Record<Dialect, JdbcDialect>> = { postgresql, mysql, sqlite };
