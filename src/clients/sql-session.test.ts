import { describe, expect, it, vi } from "vitest";
import {
  type Connection,
  overDriver,
  type Statement,
  type StatementResult,
} from "./sql-session.ts";

const limits = { connections: 2, connectMs: 1_000, statementMs: 60_000 };
const signal = new AbortController().signal;
const done: StatementResult = { rows: [], changes: 1 };
const writing: Statement = { text: "DELETE FROM t" };
const reading: Statement = { text: "SELECT 1" };

/** A database whose statements end when the test says so, and the statements it received. */
const fake = (isConflict = (_: unknown): boolean => false) => {
  const log: string[] = [];
  const pending: { end(): void; fail(error: Error): void }[] = [];
  const connect = async (): Promise<Connection> => {
    log.push("connect");
    let fail = (_: Error): void => {};
    return {
      run: ({ text }) => {
        log.push(text);
        return new Promise((resolve, reject) => {
          fail = reject;
          pending.push({ end: () => resolve(done), fail: reject });
        });
      },
      release: () => log.push("release"),
      destroy: () => {
        log.push("destroy");
        fail(new Error("destroyed"));
      },
    };
  };
  const driver = { dialect: "sqlite", connect, isConflict, close: async () => {} } as const;
  const soon = (count: number): Promise<void> =>
    vi.waitFor(() => expect(pending.length).toBeGreaterThanOrEqual(count));
  return { driver, log, pending, soon };
};

describe("a database session", () => {
  it("opens no more connections than allowed, and queues the others", async () => {
    const { driver, log, pending, soon } = fake();
    const sql = overDriver(driver, limits);
    const all = [1, 2, 3].map(() => sql.run(writing, signal));
    await soon(2);
    expect(log.filter((entry) => entry === "connect")).toHaveLength(2);
    pending[0]?.end();
    await soon(3);
    for (const { end } of pending) end();
    expect(await Promise.all(all)).toEqual([done, done, done]);
  });

  it("releases aborted callers, and refuses more than a thousand", async () => {
    const { driver, soon } = fake();
    const sql = overDriver(driver, limits);
    const leaving = new AbortController();
    const waiting = Array.from({ length: 1_002 }, () => sql.run(reading, leaving.signal));
    await soon(2);
    await expect(sql.run(reading, signal)).rejects.toMatchObject({ failure: "busy" });
    leaving.abort(new Error("left"));
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome.status).toBe("rejected");
  });

  it("lets a read finish after its caller was aborted", async () => {
    const { driver, log, pending, soon } = fake();
    const sql = overDriver(driver, limits);
    const leaving = new AbortController();
    const read = sql.run(reading, leaving.signal);
    await soon(1);
    leaving.abort(new Error("left"));
    await expect(read).rejects.toThrow("left");
    pending[0]?.end();
    await vi.waitFor(() => expect(log).toEqual(["connect", "SELECT 1", "release"]));
  });

  it("aborts a write with its connection, before the commit", async () => {
    const { driver, log, pending, soon } = fake();
    const sql = overDriver(driver, limits);
    const leaving = new AbortController();
    const written = sql.runAll([writing], leaving.signal);
    await soon(1);
    pending[0]?.end();
    await soon(2);
    leaving.abort(new Error("left"));
    await expect(written).rejects.toThrow("left");
    expect(log.slice(0, 4)).toEqual(["connect", "BEGIN", "DELETE FROM t", "destroy"]);
    expect(log).not.toContain("COMMIT");
  });

  it("limits the time of a statement", async () => {
    const { driver, log } = fake();
    const sql = overDriver(driver, { ...limits, statementMs: 20 });
    await expect(sql.run(reading, signal)).rejects.toThrow("destroyed");
    expect(log).toContain("destroy");
  });

  it("retries conflicting statements a few times", async () => {
    const { driver, log, pending, soon } = fake((error) => String(error).includes("deadlock"));
    const sql = overDriver(driver, limits);
    const written = sql.run(writing, signal);
    for (let n = 0; n < 4; n++) {
      await soon(n + 1);
      pending[n]?.fail(new Error("deadlock"));
    }
    await expect(written).rejects.toThrow("deadlock");
    expect(log.filter((entry) => entry === "DELETE FROM t")).toHaveLength(4);
  });

  it("ends running statements on close", async () => {
    const { driver, soon } = fake();
    const sql = overDriver(driver, limits);
    const read = sql.run(reading, signal);
    const ended = expect(read).rejects.toThrow("destroyed");
    await soon(1);
    await sql.close();
    await ended;
  });
});
