import { randomUUID } from "node:crypto";
import type { Sql } from "../clients/sql.ts";
import type { Release } from "./cache.ts";
import type { JdbcDialect } from "./jdbc-dialects.ts";

/** Milliseconds that releasing a lock may take; it expires by itself. */
const releaseMs = 10_000;

/**
 * Locks as rows that expire by the database's clock: those of a dead process do so too, and no
 * connection has to stay open, which connection poolers would not allow.
 */
export const locksOn = (sql: Sql, dialect: JdbcDialect, name: string) => {
  const table = dialect.quote(name);
  const { now } = dialect;
  return {
    /** Locks a name for `ms` milliseconds; undefined where another server has it. */
    async take(claimed: string, ms: number, signal: AbortSignal): Promise<Release | undefined> {
      const token = randomUUID();
      await sql.run(
        { text: `DELETE FROM ${table} WHERE name = ? AND ends <= ${now}`, values: [claimed] },
        signal,
      );
      const { changes } = await sql.run(
        {
          text: dialect.insertIfNew(
            table,
            "name, token, ends",
            `?, ?, ${now} + ${Math.max(1, Math.ceil(ms))}`,
          ),
          values: [claimed, token],
        },
        signal,
      );
      if (changes === 0) return undefined;
      return async () => {
        await sql.run(
          {
            text: `DELETE FROM ${table} WHERE name = ? AND token = ?`,
            values: [claimed, token],
          },
          AbortSignal.timeout(releaseMs),
        );
      };
    },

    /** Removes expired locks. */
    async sweep(signal: AbortSignal): Promise<void> {
      await sql.run({ text: `DELETE FROM ${table} WHERE ends <= ${now}` }, signal);
    },
  };
};
