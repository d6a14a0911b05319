import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { type BackgroundJobOptions, createBackgroundJobs } from "./background-jobs.ts";

/** Background jobs that end when the test says, and their outcomes. */
const backgroundJobs = (parts: Partial<BackgroundJobOptions> = {}) => {
  const failures: [string, unknown][] = [];
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const { run, close } = createBackgroundJobs({
    concurrency: 2,
    maxWaiting: 2,
    maxMs: 10_000,
    onFailure: (name, error) => void failures.push([name, error]),
    ...parts,
  });
  onTestFinished(() => close(0));
  const slow = (name: string): boolean =>
    run(name, (signal) => {
      begun.push(name);
      return new Promise((resolve, reject) => {
        ends.set(name, resolve);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    });
  return { run, close, slow, failures, begun, end: (name: string) => ends.get(name)?.() };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

it("runs and queues limited numbers of jobs, and rejects the rest", async () => {
  const { slow, begun, end } = backgroundJobs();
  expect(["a", "b", "c", "d", "e"].map(slow)).toEqual([true, true, true, true, false]);
  await settled();
  expect(begun).toEqual(["a", "b"]);
  end("b");
  await settled();
  expect(begun).toEqual(["a", "b", "c"]);
  expect(slow("e")).toBe(true);
});

it("runs jobs of the same name once at a time", async () => {
  const { slow, begun, end } = backgroundJobs();
  expect([slow("a"), slow("a")]).toEqual([true, true]);
  await settled();
  end("a");
  await settled();
  slow("a");
  await settled();
  expect(begun).toEqual(["a", "a"]);
});

it("reports why a job failed, and continues", async () => {
  const { run, failures } = backgroundJobs({ concurrency: 1 });
  run("thrown", () => {
    throw new Error("at once");
  });
  run("rejected", () => Promise.reject(new Error("later")));
  const done = vi.fn(async () => {});
  run("last", done);
  await settled();
  expect(failures).toEqual([
    ["thrown", new Error("at once")],
    ["rejected", new Error("later")],
  ]);
  expect(done).toHaveBeenCalledOnce();
});

it("aborts jobs that take too long, whether they heed their signal or not", async () => {
  const { run, failures } = backgroundJobs({ maxMs: 20 });
  run("deaf", () => new Promise(() => {}));
  await vi.waitFor(() =>
    expect(failures).toEqual([["deaf", new Error("it took longer than 20 ms")]]),
  );
});

it("closes once all running jobs have ended, and starts no more", async () => {
  const { slow, close, begun, end, failures } = backgroundJobs({ concurrency: 1 });
  slow("a");
  slow("b");
  await settled();
  let isClosed = false;
  const closing = close(10_000).then(() => {
    isClosed = true;
  });
  await settled();
  expect(isClosed).toBe(false);
  end("a");
  await closing;
  expect(slow("c")).toBe(false);
  expect(begun).toEqual(["a"]);
  expect(failures).toEqual([]);
});

it("closes after a while, whatever is running", async () => {
  const { slow, run, close, failures } = backgroundJobs();
  slow("a");
  run("deaf", () => new Promise(() => {}));
  await pause(1);
  await close(10);
  expect(failures).toEqual([]);
});
