import { openMysql } from "./sql-mysql.ts";
import { openPostgresql } from "./sql-postgresql.ts";
import type { Sql, SqlCaller, SqlLimits } from "./sql-session.ts";
import { openSqlite } from "./sql-sqlite.ts";
import { parseSqlUrl } from "./sql-url.ts";

export type { Dialect, Sql, SqlRow, Statement } from "./sql-session.ts";

/** A database as settings name it. */
export interface SqlPlace {
  /** The key the URL stands in, for messages. */
  readonly key: string;
  /** A URL of JDBC, or the same without `jdbc:`. */
  readonly url: string;
  /** Where the URL names none. */
  readonly user: string;
  readonly password: string;
  /** Whether a file of SQLite must be there already, and nothing can be written to it. */
  readonly readOnly?: true;
}

/**
 * Opens a database, without connecting to it yet: the first statement does. Throws `malformed`
 * where its URL is of a kind that is not known, or the package for it is missing.
 */
export const openSql = async (
  { key, url, user, password, readOnly }: SqlPlace,
  limits: SqlLimits,
  caller: SqlCaller,
): Promise<Sql> => {
  const address = parseSqlUrl(key, url);
  const { unused } = address;
  if (unused.length > 0)
    caller.log.warn(`Parameters of ${key} that mean nothing to Vitrine are ignored.`, { unused });
  if (address.dialect === "sqlite")
    return openSqlite({ path: address.path, ...(readOnly ? { readOnly } : {}) }, limits, caller);
  const server = { user, password, ...address };
  return address.dialect === "postgresql"
    ? openPostgresql(server, limits, caller)
    : openMysql(server, limits, caller);
};
