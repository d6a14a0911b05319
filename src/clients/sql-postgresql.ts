import type { ConnectionOptions } from "node:tls";
import type { Pool, PoolConfig } from "pg";
import { library } from "./library.ts";
import { numbered } from "./sql-placeholders.ts";
import {
  asBuffer,
  type Connection,
  overDriver,
  type Sql,
  type SqlCaller,
  type SqlLimits,
} from "./sql-session.ts";
import { type TlsChecks, tlsChecks } from "./sql-tls.ts";
import type { SqlServerAddress } from "./sql-url.ts";

/** PostgreSQL's errors of conflicting statements: a failed serialization, a deadlock. */
const conflicts = new Set(["40001", "40P01"]);
/** A connection pooler's error for a setting that it does not pass on. */
const protocolViolation = "08P01";
/** Milliseconds for which an unused connection stays open. */
const idleMs = 60_000;

export const openPostgresql = async (
  address: SqlServerAddress,
  limits: SqlLimits,
  { purpose, log }: SqlCaller,
): Promise<Sql> => {
  const { default: pg } = await library("pg@8.23.1", { load: () => import("pg"), purpose });
  const config = await configOf(address, limits);
  const open = (more: PoolConfig): Pool => {
    const opened = new pg.Pool({ ...config, ...more });
    // A broken unused connection is replaced; where that fails, the next statement reports it.
    opened.on("error", (error) => log.debug("A connection to PostgreSQL broke.", { error }));
    return opened;
  };
  let pool = open({ statement_timeout: limits.statementMs });

  return overDriver(
    {
      dialect: "postgresql",
      isConflict: (error) => conflicts.has(codeOf(error)),
      async connect() {
        const used = pool;
        try {
          return await connectionOf(used);
        } catch (error) {
          if (codeOf(error) !== protocolViolation || !/startup/.test(String(error))) throw error;
          // Our own time limit has to do.
          if (pool === used) {
            pool = open({});
            await used.end();
          }
          return connectionOf(pool);
        }
      },
      close: () => pool.end(),
    },
    limits,
  );
};

const configOf = async (
  { host, port, database, user, password, tls, schema }: SqlServerAddress,
  { connections, connectMs }: SqlLimits,
): Promise<PoolConfig> => ({
  host,
  port,
  ...(database === "" ? {} : { database }),
  ...(user ? { user } : {}),
  ...(password ? { password } : {}),
  ...(schema ? { options: `-c search_path=${schema.replace(/[\\ ]/g, "\\$&")}` } : {}),
  ...(tls ? { ssl: tlsOptions(await tlsChecks(tls)) } : {}),
  application_name: "vitrine",
  max: connections,
  connectionTimeoutMillis: connectMs,
  idleTimeoutMillis: idleMs,
  keepAlive: true,
});

const tlsOptions = ({ ca, checksAuthority, checksHost }: TlsChecks): ConnectionOptions => ({
  ...(ca === undefined ? {} : { ca }),
  rejectUnauthorized: checksAuthority,
  ...(checksHost ? {} : { checkServerIdentity: () => undefined }),
});

const connectionOf = async (pool: Pool): Promise<Connection> => {
  const client = await pool.connect();
  // While it is ours, the pool does not listen; the next statement reports the error, too.
  const listen = (): void => {};
  client.on("error", listen);
  let isOurs = true;
  const end = (isBroken: boolean): void => {
    if (!isOurs) return;
    isOurs = false;
    client.off("error", listen);
    client.release(isBroken);
  };
  return {
    async run({ text, values = [] }) {
      const { rows, rowCount } = await client.query<Record<string, unknown>>(
        numbered(text),
        values.map(asBuffer),
      );
      return { rows, changes: rowCount ?? 0 };
    },
    release: () => end(false),
    destroy: () => end(true),
  };
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
