import { openMysql } from "./sql-mysql.ts";
import { openPostgresql } from "./sql-postgresql.ts";
import type { Sql, SqlCaller, SqlLimits } from "./sql-session.ts";
import { openSqlite } from "./sql-sqlite.ts";
import { parseSqlUrl } from "./sql-url.ts";

export type { Dialect, Sql, SqlRow, Statement } from "./sql-session.ts";

/** A database as settings name it. */
export interface SqlPlace {
  /** The key of the URL, for messages. */
  readonly key: string;
  /** A JDBC URL, or the same without `jdbc:`. */
  readonly url: string;
  /** Where the URL names none. */
  readonly user: string;
  readonly password: string;
  /** Whether an SQLite file must exist already, and is read-only. */
  readonly readOnly?: true;
}

/**
 * Opens a database without connecting to it: the first statement does. Throws `malformed` where its
 * URL is of an unknown kind, or its package is missing.
 */
export const openSql = async (
  { key, url, user, password, readOnly }: SqlPlace,
  limits: SqlLimits,
  caller: SqlCaller,
): Promise<Sql> => {
  const address = parseSqlUrl(key, url);
  const { unused } = address;
  if (unused.length > 0) caller.log.warn(`Unknown parameters of ${key} are ignored.`, { unused });
  if (address.dialect === "sqlite")
    return openSqlite({ path: address.path, ...(readOnly ? { readOnly } : {}) }, limits, caller);
  const server = { user, password, ...address };
  return address.dialect === "postgresql"
    ? openPostgresql(server, limits, caller)
    : openMysql(server, limits, caller);
};
