import { randomUUID } from "node:crypto";
import type { Sql } from "../clients/sql.ts";
import type { Release } from "./cache.ts";
import type { JdbcDialect } from "./jdbc-dialects.ts";

/** Milliseconds that giving a lock back may take; it runs out by itself. */
const releaseMs = 10_000;

/**
 * Locks as rows that run out by the clock of the database: those of a process that died do, and no
 * connection has to stay open, which poolers in between would not grant.
 */
export const locksOn = (sql: Sql, dialect: JdbcDialect, name: string) => {
  const table = dialect.quote(name);
  const { now } = dialect;
  return {
    /** Claims a name for `ms` milliseconds; undefined where somebody else has it. */
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

    /** Removes those that have run out. */
    async sweep(signal: AbortSignal): Promise<void> {
      await sql.run({ text: `DELETE FROM ${table} WHERE ends <= ${now}` }, signal);
    },
  };
};
