import type { PoolConnection, PoolOptions, ResultSetHeader, RowDataPacket } from "mysql2/promise";
import { library } from "./library.ts";
import {
  asBuffer,
  type Connection,
  overDriver,
  type Sql,
  type SqlCaller,
  type SqlLimits,
} from "./sql-session.ts";
import { tlsChecks } from "./sql-tls.ts";
import type { SqlServerAddress } from "./sql-url.ts";

/** MySQL's errors of conflicting statements. */
const conflicts = new Set(["ER_LOCK_DEADLOCK", "ER_LOCK_WAIT_TIMEOUT", "ER_CHECKREAD"]);
/** How long a connection that nobody uses stays open, in milliseconds. */
const idleMs = 60_000;

export const openMysql = async (
  address: SqlServerAddress,
  limits: SqlLimits,
  { purpose }: SqlCaller,
): Promise<Sql> => {
  const { createPool } = await library("mysql2@3.24.6", {
    load: () => import("mysql2/promise"),
    purpose,
  });
  const pool = createPool(await optionsOf(address, limits));
  const ready = new WeakSet<object>();
  return overDriver(
    {
      dialect: "mysql",
      isConflict: (error) =>
        error instanceof Error && "code" in error && conflicts.has(String(error.code)),
      async connect() {
        const connection = await pool.getConnection();
        if (!ready.has(connection.connection)) {
          await prepare(connection).catch((error) => {
            connection.destroy();
            throw error;
          });
          ready.add(connection.connection);
        }
        return connectionOf(connection);
      },
      close: () => pool.end(),
    },
    limits,
  );
};

const optionsOf = async (
  { host, port, database, user, password, tls }: SqlServerAddress,
  { connections, connectMs }: SqlLimits,
): Promise<PoolOptions> => {
  const checks = tls && (await tlsChecks(tls));
  return {
    host,
    port,
    ...(database === "" ? {} : { database }),
    ...(user ? { user } : {}),
    ...(password ? { password } : {}),
    ...(checks
      ? {
          ssl: {
            ...(checks.ca === undefined ? {} : { ca: checks.ca }),
            rejectUnauthorized: checks.checksAuthority,
            verifyIdentity: checks.checksHost,
          },
        }
      : {}),
    connectionLimit: connections,
    connectTimeout: connectMs,
    // What the session is set to, below.
    timezone: "Z",
    idleTimeout: idleMs,
    maxIdle: connections - 1,
    enableKeepAlive: true,
    // A statement is prepared once for each connection; there are few of them.
    maxPreparedStatements: 64,
  };
};

/**
 * Sets what of a session matters here: times in UTC, whole transactions, locks on rows only,
 * nothing cut off in silence.
 */
const prepare = async (connection: PoolConnection): Promise<void> => {
  await connection.query(
    "SET time_zone = '+00:00', sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
  );
  await connection.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
};

/** Statements that cannot be prepared. */
const plain = /^(?:BEGIN|COMMIT|ROLLBACK)$/;

const connectionOf = (connection: PoolConnection): Connection => {
  let isOurs = true;
  const end = (letGo: () => void): void => {
    if (!isOurs) return;
    isOurs = false;
    letGo();
  };
  return {
    async run({ text, values = [] }) {
      const [result] = plain.test(text)
        ? await connection.query<ResultSetHeader>(text)
        : await connection.execute<RowDataPacket[] | ResultSetHeader>(text, values.map(asBuffer));
      return Array.isArray(result)
        ? { rows: result, changes: 0 }
        : { rows: [], changes: result.affectedRows };
    },
    release: () => end(() => connection.release()),
    destroy: () => end(() => connection.destroy()),
  };
};
