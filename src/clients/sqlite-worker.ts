import { existsSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import Sqlite from "libsql";
import { asBuffer, type SqlRow } from "./sql-session.ts";
import type { SqliteAnswer, SqliteFile, SqliteRequest } from "./sqlite-job.ts";

type Prepared = Sqlite.Statement<unknown[]>;

/** Milliseconds that a statement waits for other writing processes. */
const busyMs = 5_000;
/** Maximum number of cached prepared statements. */
const maxPrepared = 64;

let database: Sqlite.Database | undefined;
const prepared = new Map<string, Prepared>();

const open = ({ path, readOnly }: SqliteFile): Sqlite.Database => {
  // The client creates a missing file.
  if (readOnly && !existsSync(path)) throw new Error("There is no such file.");
  const opened = new Sqlite(path, { timeout: busyMs });
  if (readOnly) {
    opened.exec("PRAGMA query_only = ON");
    return opened;
  }
  // With the write-ahead log, this loses the latest entries in a power failure, no more.
  opened.exec("PRAGMA synchronous = NORMAL");
  return opened;
};

const prepare = (to: Sqlite.Database, text: string): Prepared => {
  const known = prepared.get(text);
  if (known) return known;
  if (prepared.size >= maxPrepared) prepared.clear();
  const statement = to.prepare<unknown[]>(text);
  prepared.set(text, statement);
  return statement;
};

const carryOut = ({ text, values, ...file }: SqliteRequest): SqliteAnswer => {
  database ??= open(file);
  // A transaction that reads first and then finds another one writing could only fail.
  const statement = prepare(database, text === "BEGIN" ? "BEGIN IMMEDIATE" : text);
  const bound = values.map(asBuffer);
  if (!statement.reader) return { rows: [], changes: statement.run(...bound).changes };
  return { rows: statement.all(...bound).map(rowOf), changes: 0 };
};

/** A row with its bytes as elsewhere; this client returns whole buffers. */
const rowOf = (row: unknown): SqlRow =>
  Object.fromEntries(
    Object.entries(row as SqlRow).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? new Uint8Array(value) : value,
    ]),
  );

const answer = (request: SqliteRequest): SqliteAnswer => {
  try {
    return carryOut(request);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return { error: error instanceof Error ? error.message : String(error), code };
  }
};

parentPort?.on("message", (request: SqliteRequest | undefined) => {
  if (request === undefined) {
    database?.close();
    parentPort?.close();
    return;
  }
  const answered = answer(request);
  const rows = "rows" in answered ? answered.rows : [];
  const bytes = rows.flatMap((row) =>
    Object.values(row).flatMap((value) => (value instanceof Uint8Array ? [value.buffer] : [])),
  );
  parentPort?.postMessage(answered, bytes as ArrayBuffer[]);
});
