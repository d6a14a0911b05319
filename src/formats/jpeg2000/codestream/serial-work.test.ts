import { expect, test } from "vitest";
import { Admission } from "../../../core/admission.ts";
import { SerialWork } from "./serial-work.ts";

const { signal } = new AbortController();
const reader = {};

test("work runs one at a time, in order of arrival", async () => {
  const turns = new SerialWork();
  const done: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    done.push(`${name} begins`);
    await new Promise(setImmediate);
    done.push(`${name} ends`);
  };
  await Promise.all(["a", "b"].map((name) => turns.take({ signal, reader }, work(name))));
  expect(done).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

test("leaving the queue keeps the order of the others, and failures block nobody", async () => {
  const turns = new SerialWork();
  const leaving = new AbortController();
  let end = (): void => {};
  const first = turns.take(
    { signal, reader },
    () => new Promise<void>((resolve) => (end = resolve)),
  );
  const second = turns.take({ signal: leaving.signal, reader }, async () => "never");
  let isThird = false;
  const third = turns.take({ signal, reader }, async () => {
    isThird = true;
    throw new Error("third");
  });
  const fourth = turns.take({ signal, reader }, async () => "fourth");
  leaving.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  await new Promise(setImmediate);
  expect(isThird).toBe(false);
  end();
  await first;
  await expect(third).rejects.toThrow("third");
  expect(await fourth).toBe("fourth");
});

test("waiting for work that waits for a server does not block it", async () => {
  const lane = { running: 1, bytes: 100 };
  const admission = new Admission(() => ({
    small: lane,
    large: lane,
    largePixels: 100,
    waiting: 10,
    patienceMs: 60_000,
    rest: 0,
  }));
  const turns = new SerialWork();
  let answer = (): void => {};
  const server = new Promise<void>((resolve) => (answer = resolve));
  const ended: string[] = [];
  const draw = (name: string, read: () => Promise<void>): Promise<void> =>
    admission.run({ bytes: 1, pixels: 1 }, signal, async ({ aside }) => {
      await turns.take({ signal, reader: { aside } }, () => aside(read));
      ended.push(name);
    });
  const first = draw("first", () => server);
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  const second = draw("second", async () => {});
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  // Both wait for the server, the second one because of the first: others get a turn.
  expect(admission.state.small.running).toBe(0);
  await admission.run({ bytes: 1, pixels: 1 }, signal, async () => void ended.push("other"));
  answer();
  await Promise.all([first, second]);
  expect(ended).toEqual(["other", "first", "second"]);
});
