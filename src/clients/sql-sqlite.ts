import type { Worker } from "node:worker_threads";
import { startThread } from "../core/thread.ts";
import { library } from "./library.ts";
import {
  type Connection,
  overDriver,
  type Sql,
  type SqlCaller,
  type SqlLimits,
  type StatementResult,
} from "./sql-session.ts";
import type { SqliteAnswer, SqliteFile, SqliteRequest } from "./sqlite-job.ts";

/** One may read while another one writes; more would only wait for each other. */
const maxThreads = 2;

/** An SQLite error with its code. */
class SqliteError extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.name = "SqliteError";
    this.code = code;
  }
}

/**
 * An SQLite file, opened in threads of its own: its client blocks, and a checkpoint takes its time.
 */
export const openSqlite = async (
  file: SqliteFile,
  limits: SqlLimits,
  { purpose }: SqlCaller,
): Promise<Sql> => {
  await library("libsql@0.5.29", { load: () => import("libsql"), purpose });
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  const start = (): Thread => {
    const thread = new Thread(file.path, () => {
      threads.delete(thread);
      const at = idle.indexOf(thread);
      if (at >= 0) idle.splice(at, 1);
    });
    threads.add(thread);
    return thread;
  };
  return overDriver(
    {
      dialect: "sqlite",
      isConflict: (error) => error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY"),
      async connect(): Promise<Connection> {
        const thread = idle.pop() ?? start();
        return {
          run: ({ text, values = [] }) => thread.run({ ...file, text, values }),
          release: () => {
            if (threads.has(thread)) idle.push(thread);
          },
          destroy: () => thread.end(new Error("The database file was closed.")),
        };
      },
      async close() {
        await Promise.all([...threads].map((thread) => thread.close()));
      },
    },
    { ...limits, connections: Math.min(maxThreads, limits.connections) },
  );
};

/** A thread that has the file open, and runs one statement at a time. */
class Thread {
  readonly #worker: Worker;
  readonly #path: string;
  readonly #onEnd: () => void;
  #isOver = false;
  #task: { resolve(outcome: StatementResult): void; reject(error: unknown): void } | undefined;

  constructor(path: string, onEnd: () => void) {
    this.#path = path;
    this.#onEnd = onEnd;
    this.#worker = startThread(new URL("./sqlite-worker", import.meta.url));
    this.#worker.on("message", (answer: SqliteAnswer) => this.#take(answer));
    this.#worker.on("error", (error) => this.end(error));
    this.#worker.on("exit", () => this.end(new Error("A thread with a database file ended.")));
    this.#worker.unref();
  }

  run(request: SqliteRequest): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(new Error("The thread with the database file has ended."));
      this.#task = { resolve, reject };
      // Running statements keep the process alive; an idle thread does not.
      this.#worker.ref();
      this.#worker.postMessage(request);
    });
  }

  /** Ends it, whatever it is doing; its statements fail with this reason. */
  end(reason: Error): void {
    this.#isOver = true;
    this.#onEnd();
    const task = this.#task;
    this.#task = undefined;
    const fail = (): void => task?.reject(reason);
    // A running statement still takes effect; callers must not believe otherwise.
    this.#worker.terminate().then(fail, fail);
  }

  /** Lets it close the file. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.ref();
    this.#worker.postMessage(undefined);
    await ended;
  }

  #take(answer: SqliteAnswer): void {
    const task = this.#task;
    this.#task = undefined;
    this.#worker.unref();
    if ("error" in answer)
      task?.reject(new SqliteError(`${answer.error} (${this.#path})`, answer.code));
    else task?.resolve(answer);
  }
}
