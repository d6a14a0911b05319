import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

const { signal } = new AbortController();

test("work is done one piece after another, in the order in which it came", async () => {
  const turns = new Turns();
  const done: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    done.push(`${name} begins`);
    await new Promise(setImmediate);
    done.push(`${name} ends`);
  };
  await Promise.all(["a", "b"].map((name) => turns.take(signal, work(name))));
  expect(done).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

test("who leaves the queue does not let others in before their turn, and failures hold up nobody", async () => {
  const turns = new Turns();
  const leaving = new AbortController();
  let end = (): void => {};
  const first = turns.take(signal, () => new Promise<void>((resolve) => (end = resolve)));
  const second = turns.take(leaving.signal, async () => "never");
  let isThird = false;
  const third = turns.take(signal, async () => {
    isThird = true;
    throw new Error("third");
  });
  const fourth = turns.take(signal, async () => "fourth");
  leaving.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  await new Promise(setImmediate);
  expect(isThird).toBe(false);
  end();
  await first;
  await expect(third).rejects.toThrow("third");
  expect(await fourth).toBe("fourth");
});
