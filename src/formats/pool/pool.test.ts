import { afterEach, describe, expect, it } from "vitest";
import type { TrialJob } from "../../../test/threads/trial-worker.ts";
import { DecoderLost, ServerError } from "../../core/errors.ts";
import type { PoolKind, PoolLimits } from "./kind.ts";
import { createPool, type Pool } from "./pool.ts";

const open = new Set<Pool<TrialJob, Uint8Array>>();

afterEach(async () => {
  for (const pool of open) await pool.close();
  open.clear();
});

let started = 0;

const createTrial = (
  limits: Partial<PoolLimits> = {},
  kind: Partial<PoolKind<TrialJob>> = {},
): Pool<TrialJob, Uint8Array> => {
  const pool = createPool<TrialJob, Uint8Array>(
    () => ({ threads: 1, ms: 20_000, data: { number: ++started }, ...limits }),
    {
      module: new URL("../../../test/threads/trial-worker", import.meta.url),
      failures: {
        late: () => new ServerError("late", "It took too long."),
        broken: (cause) => new ServerError("unreadable", "It broke.", { cause }),
        damaged: (cause) => new ServerError("unreadable", `It is ${cause.message}.`),
      },
      ...kind,
    },
  );
  open.add(pool);
  return pool;
};

const never = new AbortController().signal;
const answer = (value: number): TrialJob => ({ does: "answer", bytes: Uint8Array.of(value) });

describe("a thread pool", () => {
  it("runs more jobs than its threads take at a time", async () => {
    const { run } = createTrial({ threads: 2 }, { jobsPerThread: 2 });
    const jobs = Array.from({ length: 40 }, (_, value) => run(answer(value), never));
    expect((await Promise.all(jobs)).map(([value]) => value)).toEqual([...Array(40).keys()]);
  });

  it("transfers memory", async () => {
    const { run } = createTrial(
      {},
      {
        transfer: (job) => (job.does === "answer" ? [job.bytes.buffer as ArrayBuffer] : []),
      },
    );
    const job = { does: "answer", bytes: Uint8Array.of(7) } as const;
    expect([...(await run(job, never))]).toEqual([7]);
    expect(job.bytes.byteLength).toBe(0);
  });

  it("passes on what a job reports before its outcome", async () => {
    const { run } = createTrial();
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const reported: number[] = [];
    const job = { does: "report", bytes: Uint8Array.of(4, 5, 6), shared } as const;
    const outcome = run(job, never, {
      report: ([value = 0]) => {
        reported.push(value);
        // The job ends only once all was reported.
        if (value === 6) Atomics.store(shared, 0, 1);
        if (value === 6) Atomics.notify(shared, 0);
      },
    });
    expect([...(await outcome)]).toEqual([0]);
    expect(reported).toEqual([4, 5, 6]);
  });

  it("passes on failures, reports other errors as damage and keeps the thread", async () => {
    const { run } = createTrial();
    const [thread] = await run({ does: "number" }, never);
    await expect(run({ does: "fail" }, never)).rejects.toMatchObject({
      failure: "denied",
      message: "Expected another job.",
    });
    await expect(run({ does: "throw" }, never)).rejects.toThrow("It is odd.");
    expect(await run({ does: "number" }, never)).toEqual(Uint8Array.of(Number(thread)));
  });

  it("replaces a thread after a WebAssembly failure", async () => {
    const { run } = createTrial();
    const [thread] = await run({ does: "number" }, never);
    await expect(run({ does: "spoil" }, never)).rejects.toThrow("It broke.");
    expect(await run({ does: "number" }, never)).not.toEqual(Uint8Array.of(Number(thread)));
  });

  it("ends jobs that take too long or whose caller has left", async () => {
    const { run } = createTrial({ ms: 200 }, { graceMs: 50 });
    await expect(run({ does: "hang" }, never)).rejects.toMatchObject({ failure: "late" });
    const leaving = new AbortController();
    const left = run({ does: "hang" }, leaving.signal);
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect([...(await run(answer(1), never))]).toEqual([1]);
  });

  it("survives a thread that exceeds its heap limit", async () => {
    const { run } = createTrial({ heapBytes: 16_777_216 });
    await expect(run({ does: "grow" }, never)).rejects.toThrow("It broke.");
    expect([...(await run(answer(1), never))]).toEqual([1]);
  });

  it("keeps a cancelled job's caller waiting while the thread uses shared memory", async () => {
    const { run } = createTrial({ ms: 300 }, { shares: true });
    const leaving = new AbortController();
    const left = run({ does: "hang" }, leaving.signal);
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toMatchObject({ failure: "late" });
  });

  it("rejects jobs when the queue is full", async () => {
    const pool = createTrial({}, { maxWaiting: 1 });
    const hanging = Promise.allSettled([pool.run({ does: "hang" }, never)]);
    const leaving = new AbortController();
    const waiting = pool.run(answer(1), leaving.signal);
    await expect(pool.run(answer(2), never)).rejects.toMatchObject({ failure: "busy" });
    leaving.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    const another = Promise.allSettled([pool.run(answer(3), never)]);
    await pool.close();
    const closed = [{ status: "rejected", reason: { failure: "aborted" } }];
    expect(await hanging).toMatchObject(closed);
    expect(await another).toMatchObject(closed);
  });

  it("rejects jobs that wait too long as busy", async () => {
    const { run } = createTrial({ ms: 300 }, { patienceMs: 100 });
    const hanging = run({ does: "hang" }, never);
    const waiting = run(answer(1), never);
    await expect(waiting).rejects.toMatchObject({ failure: "busy" });
    await expect(hanging).rejects.toMatchObject({ failure: expect.stringMatching(/late|busy/) });
    expect([...(await createTrial({}, { patienceMs: 100 }).run(answer(2), never))]).toEqual([2]);
  });

  it("lets a short job wait for up to the combined limit", async () => {
    const { run } = createTrial({ ms: 2_000 }, { patienceMs: 0, togetherMs: 20_000 });
    const hanging = run({ does: "hang" }, never);
    const waiting = run(answer(1), never);
    await expect(hanging).rejects.toMatchObject({ failure: "late" });
    expect([...(await waiting)]).toEqual([1]);
  });

  it("reports busy, not a lost decoder, for a job that began too late", async () => {
    const { run } = createTrial({ ms: 2_000 }, { patienceMs: 0 });
    // Starting the thread takes some of it.
    const hanging = await run({ does: "hang" }, never).catch((error: unknown) => error);
    expect(hanging).toMatchObject({ failure: "busy" });
    expect(hanging).not.toBeInstanceOf(DecoderLost);
    const late = await createTrial({ ms: 300 }, { patienceMs: 20_000 })
      .run({ does: "hang" }, never)
      .catch((error: unknown) => error);
    expect(late).toMatchObject({ failure: "late" });
    expect(late).toBeInstanceOf(DecoderLost);
  });

  it("rejects new jobs once it is closed", async () => {
    const pool = createTrial();
    await pool.close();
    await expect(pool.run(answer(1), never)).rejects.toMatchObject({ failure: "aborted" });
  });

  it("rejects queued and running jobs when it is closed", async () => {
    const pool = createTrial();
    const jobs = [pool.run({ does: "hang" }, never), pool.run(answer(1), never)];
    const ends = Promise.allSettled(jobs);
    await pool.close();
    for (const end of await ends)
      expect(end).toMatchObject({ status: "rejected", reason: { failure: "aborted" } });
  });
});
