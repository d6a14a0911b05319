import { expect, it } from "vitest";
import { InlineTime } from "./inline-time.ts";

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

it("the time budget of a turn is used up by work and renewed on the next turn", async () => {
  let now = 0;
  const turn = new InlineTime(10, () => now);
  const work = (ms: number): string =>
    turn.spend(() => {
      now += ms;
      return "done";
    });
  expect(turn.hasTime()).toBe(true);
  expect(work(6)).toBe("done");
  expect(turn.hasTime()).toBe(true);
  expect(work(6)).toBe("done");
  expect(turn.hasTime()).toBe(false);
  await nextTurn();
  expect(turn.hasTime()).toBe(true);
});

it("work that throws counts towards the time budget", () => {
  let now = 0;
  const turn = new InlineTime(10, () => now);
  const failing = (): never =>
    turn.spend(() => {
      now += 11;
      throw new Error("no");
    });
  expect(failing).toThrow("no");
  expect(turn.hasTime()).toBe(false);
});
