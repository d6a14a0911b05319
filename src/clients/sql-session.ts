import { untilAborted } from "../core/abort.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";

/** What a database speaks; MariaDB speaks `mysql`. */
export type Dialect = "postgresql" | "mysql" | "sqlite";

export type SqlValue = string | number | Uint8Array | null;

/** A statement with a `?` for each of its values. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly SqlValue[];
}

/** A row by the names of its columns; bytes are `Uint8Array`s, numbers may be strings. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** What a statement gave: its rows, and how many it changed. */
export interface StatementResult {
  readonly rows: readonly SqlRow[];
  readonly changes: number;
}

/** A database. What fails throws the error of its client. */
export interface Sql {
  readonly dialect: Dialect;
  run(statement: Statement, signal: AbortSignal): Promise<StatementResult>;
  /**
   * Runs statements in one transaction: all of them have an effect, or none. Where the signal
   * aborts before the last of them is done, there is none either; one that is `run` may take effect
   * yet.
   */
  runAll(
    statements: readonly Statement[],
    signal: AbortSignal,
  ): Promise<readonly StatementResult[]>;
  /** Closes all connections; what is under way fails. */
  close(): Promise<void>;
}

export interface SqlLimits {
  /** Connections at a time, at least 1. */
  readonly connections: number;
  /** Milliseconds until an attempt to connect is given up. */
  readonly connectMs: number;
  /** Milliseconds after which a statement, or a transaction, is given up with its connection. */
  readonly statementMs: number;
}

/** Who needs a database. */
export interface SqlCaller {
  /** What it is for, as the beginning of a sentence. */
  readonly purpose: string;
  readonly log: Logger;
}

/** A connection that is ours until we let go of it. */
export interface Connection {
  run(statement: Statement): Promise<StatementResult>;
  /** Gives it back for others to use. */
  release(): void;
  /** Closes it, whatever it is doing. */
  destroy(): void;
}

export interface Driver {
  readonly dialect: Dialect;
  /** A connection; never called for more than may be used at a time. */
  connect(): Promise<Connection>;
  /** Whether a statement failed for others were in its way, so that it may go better next time. */
  isConflict(error: unknown): boolean;
  close(): Promise<void>;
}

/** How many may wait for a connection. */
const maxWaiting = 1_000;
/** Statements that change nothing. */
const reading = /^\s*SELECT\b/i;
/** How often a statement is run that others are in the way of. */
const attempts = 4;

/**
 * A database over a driver. Clients cannot cancel a statement: who leaves while reading is let go
 * at once, and the statement has its time to come to an end, so that a connection is not lost with
 * each of them. Whatever writes is given up with its connection: it must not come true later.
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
      fail("busy", `Expected at most ${maxWaiting} to wait for the database; there are more.`);
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

  // Whoever is admitted takes the place of the one who goes.
  const leave = (): void => {
    const [next] = waiting;
    if (next) next();
    else underWay--;
  };

  /** A connection; one that comes after its caller has left goes to the next one. */
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
      // Its state is unknown: the server rolls back what it was in the midst of.
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

/** A value as the clients know it; bytes are not copied. */
export const asBuffer = (value: SqlValue): string | number | Buffer | null =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value;
