import { untilAborted } from "../core/abort.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";

/** The database's dialect; MariaDB uses `mysql`. */
export type Dialect = "postgresql" | "mysql" | "sqlite";

export type SqlValue = string | number | Uint8Array | null;

/** A statement with a `?` for each of its values. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly SqlValue[];
}

/** A row by column name; bytes are `Uint8Array`s, numbers may be strings. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A statement's result: its rows, and the number of changed ones. */
export interface StatementResult {
  readonly rows: readonly SqlRow[];
  readonly changes: number;
}

/** A database. Errors are those of its client. */
export interface Sql {
  readonly dialect: Dialect;
  run(statement: Statement, signal: AbortSignal): Promise<StatementResult>;
  /**
   * Runs statements in one transaction: all of them take effect, or none. Where the signal aborts
   * before the last of them is done, none does; a `run` statement may still take effect.
   */
  runAll(
    statements: readonly Statement[],
    signal: AbortSignal,
  ): Promise<readonly StatementResult[]>;
  /** Closes all connections; running statements fail. */
  close(): Promise<void>;
}

export interface SqlLimits {
  /** Maximum number of connections, at least 1. */
  readonly connections: number;
  /** Time limit of connecting in milliseconds. */
  readonly connectMs: number;
  /** Milliseconds after which a statement, or a transaction, is aborted with its connection. */
  readonly statementMs: number;
}

/** The user of a database. */
export interface SqlCaller {
  /** Its purpose, as the beginning of a sentence. */
  readonly purpose: string;
  readonly log: Logger;
}

/** A connection in exclusive use until it is released. */
export interface Connection {
  run(statement: Statement): Promise<StatementResult>;
  /** Returns it to the pool. */
  release(): void;
  /** Closes it, whatever it is doing. */
  destroy(): void;
}

export interface Driver {
  readonly dialect: Dialect;
  /** Opens a connection; never called for more than the maximum. */
  connect(): Promise<Connection>;
  /** Whether a statement failed because of a conflict, so that a retry may succeed. */
  isConflict(error: unknown): boolean;
  close(): Promise<void>;
}

/** Maximum number of callers that wait for a connection. */
const maxWaiting = 1_000;
/** Statements that change nothing. */
const reading = /^\s*SELECT\b/i;
/** Maximum number of attempts of a conflicting statement. */
const attempts = 4;

/**
 * A database over a driver. Clients cannot cancel a statement: a caller that leaves while reading
 * is released at once, and the statement gets its time to finish, so that a connection is not lost
 * with each of them. A write is aborted with its connection: it must not take effect later.
 */
export const overDriver = (driver: Driver, { connections, statementMs }: SqlLimits): Sql => {
  const waiting = new Set<() => void>();
  let underWay = 0;
  const active = new Set<Connection>();

  const enter = async (signal: AbortSignal): Promise<void> => {
    if (underWay < connections) {
      underWay++;
      return;
    }
    if (waiting.size >= maxWaiting)
      fail("busy", `Too many requests wait for the database (more than ${maxWaiting}).`);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(admit);
        reject(signal.reason);
      };
      const admit = (): void => {
        waiting.delete(admit);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.add(admit);
    });
  };

  // The next caller takes the slot of the previous one.
  const leave = (): void => {
    const [next] = waiting;
    if (next) next();
    else underWay--;
  };

  /** A connection; one that opens after its caller has left goes to the next caller. */
  const connected = async (giveUp: AbortSignal | undefined): Promise<Connection> => {
    const coming = driver.connect();
    if (giveUp === undefined) return coming;
    try {
      return await untilAborted(giveUp, () => coming);
    } catch (error) {
      coming.then((late) => late.release()).catch(() => undefined);
      throw error;
    }
  };

  const once = async <T>(work: WithConnection<T>, giveUp: AbortSignal | undefined): Promise<T> => {
    const connection = await connected(giveUp);
    const destroy = (): void => connection.destroy();
    const limit = setTimeout(destroy, statementMs);
    giveUp?.addEventListener("abort", destroy, { once: true });
    active.add(connection);
    try {
      const result = await work(connection);
      connection.release();
      return result;
    } catch (error) {
      // Its state is unknown: the server rolls back its transaction.
      connection.destroy();
      throw error;
    } finally {
      active.delete(connection);
      clearTimeout(limit);
      giveUp?.removeEventListener("abort", destroy);
    }
  };

  const untilDone = async <T>(
    work: WithConnection<T>,
    giveUp: AbortSignal | undefined,
  ): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(work, giveUp);
      } catch (error) {
        giveUp?.throwIfAborted();
        if (attempt === attempts || !driver.isConflict(error)) throw error;
      }
    }
  };

  const inTurn = async <T>(
    work: WithConnection<T>,
    signal: AbortSignal,
    giveUp?: AbortSignal,
  ): Promise<T> => {
    await enter(signal);
    try {
      return await untilDone(work, giveUp);
    } finally {
      leave();
    }
  };

  return {
    dialect: driver.dialect,
    async run(statement, signal) {
      signal.throwIfAborted();
      const work: WithConnection<StatementResult> = (connection) => connection.run(statement);
      return reading.test(statement.text)
        ? untilAborted(signal, () => inTurn(work, signal))
        : inTurn(work, signal, signal);
    },
    async runAll(statements, signal) {
      signal.throwIfAborted();
      return inTurn((connection) => transaction(connection, statements), signal, signal);
    },
    async close() {
      for (const connection of active) connection.destroy();
      await driver.close();
    },
  };
};

type WithConnection<T> = (connection: Connection) => Promise<T>;

const transaction = async (
  connection: Connection,
  statements: readonly Statement[],
): Promise<readonly StatementResult[]> => {
  const outcomes: StatementResult[] = [];
  await connection.run({ text: "BEGIN" });
  for (const statement of statements) outcomes.push(await connection.run(statement));
  await connection.run({ text: "COMMIT" });
  return outcomes;
};

/** A value as the clients expect it; bytes are not copied. */
export const asBuffer = (value: SqlValue): string | number | Buffer | null =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
