import type { Sql } from "../clients/sql.ts";
import { fail, ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { type Columns, columnsOf } from "./jdbc-columns.ts";
import type { JdbcDialect, TableNames } from "./jdbc-dialects.ts";

/** A database and its dialect. */
export interface SqlWithDialect {
  readonly sql: Sql;
  readonly dialect: JdbcDialect;
  readonly log: Logger;
}

/**
 * Checks a table, and creates it where it is missing. Throws `malformed` where it is unsuitable, or
 * cannot be created, with the statements that would create it.
 */
export const prepareTable = async (
  { sql, dialect, log }: SqlWithDialect,
  names: TableNames,
  signal: AbortSignal,
): Promise<Columns> => {
  const look = async (): Promise<Columns | undefined> => {
    const { rows } = await sql.run(dialect.columns(names.table), signal);
    return rows.length === 0 ? undefined : columnsOf(rows, names, dialect);
  };
  const found = await look();
  if (found) {
    if (!found.hasBytes)
      log.info(
        "A table of the derivative cache was created by another program. It is used as it is; one that Vitrine creates is faster to purge and to measure.",
        { table: names.table },
      );
    return found;
  }
  const statements = dialect.create(names);
  const made = await make(sql, [...(dialect.before ?? []), ...statements], signal);
  // Another process may have created it at the same time.
  return (await look()) ?? notMade(names.table, statements, made);
};

/** Creates the table of locks if missing. */
export const prepareLocks = async (
  { sql, dialect }: SqlWithDialect,
  table: string,
  signal: AbortSignal,
): Promise<void> => {
  const isThere = async (): Promise<boolean> =>
    (await sql.run(dialect.columns(table), signal)).rows.length > 0;
  if (await isThere()) return;
  const statements = [dialect.createLocks(table)];
  const made = await make(sql, statements, signal);
  if (!(await isThere())) notMade(table, statements, made);
};

/** Runs statements one by one; returns the first error, if any. */
const make = async (
  sql: Sql,
  statements: readonly string[],
  signal: AbortSignal,
): Promise<unknown> => {
  try {
    for (const text of statements) await sql.run({ text }, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error;
  }
};

const notMade = (table: string, statements: readonly string[], cause: unknown): never =>
  fail(
    "malformed",
    `Expected the table ${table}, or the right to create it; there is neither. To create it by hand:  ${statements.join("; ")}`,
    cause,
  );

/** Whether an error is caused by settings or tables rather than by an unreachable database. */
export const isPermanent = (error: unknown): boolean =>
  error instanceof ServerError && error.failure === "malformed";
