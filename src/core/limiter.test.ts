import { expect, test } from "vitest";
import { Limiter } from "./limiter.ts";

const signal = new AbortController().signal;

/** Work that continues until told to end. */
const pending = () => {
  let end = (): void => {};
  const promise = new Promise<string>((resolve) => {
    end = () => resolve("done");
  });
  return { work: () => promise, end: () => end() };
};

test("it runs no more at a time than allowed, in order of arrival", async () => {
  const limiter = new Limiter(() => ({ running: 2, waiting: 64 }));
  const begun: number[] = [];
  const jobs = [0, 1, 2, 3].map(() => pending());
  const runs = jobs.map(({ work }, n) =>
    limiter.run(signal, () => {
      begun.push(n);
      return work();
    }),
  );
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1]);
  jobs[1]?.end();
  await runs[1];
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of jobs) end();
  expect(await Promise.all(runs)).toEqual(["done", "done", "done", "done"]);
});

test("aborted waiters free their place, and failures free their slot", async () => {
  const limiter = new Limiter(() => ({ running: 1, waiting: 64 }));
  const first = pending();
  const running = limiter.run(signal, first.work);
  const abort = new AbortController();
  const leaving = limiter.run(abort.signal, async () => "never");
  const failing = limiter.run(signal, () => Promise.reject(new Error("failed")));
  abort.abort(new Error("left"));
  await expect(leaving).rejects.toThrow("left");
  first.end();
  expect(await running).toBe("done");
  await expect(failing).rejects.toThrow("failed");
  expect(await limiter.run(signal, async () => "last")).toBe("last");
});

test("more than the maximum of waiters are refused", async () => {
  const limiter = new Limiter(() => ({ running: 1, waiting: 64 }));
  const first = pending();
  const runs = [limiter.run(signal, first.work)];
  for (let n = 0; n < 64; n++) runs.push(limiter.run(signal, async () => "done"));
  await expect(limiter.run(signal, async () => "more")).rejects.toMatchObject({ failure: "busy" });
  first.end();
  expect(await Promise.all(runs)).toHaveLength(65);
});
