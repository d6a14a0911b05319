import { describe, expect, it } from "vitest";
import { Timings } from "./timings.ts";

/** Timings with a clock that the test moves. */
const timed = () => {
  const clock = { now: 1_000 };
  const timings = new Timings(() => clock.now);
  const spend = (ms: number): void => {
    clock.now += ms;
  };
  return { timings, spend };
};

describe("timings", () => {
  it("give each stage the time until the next, without stages that took none", () => {
    const { timings, spend } = timed();
    spend(1);
    timings.enter("info");
    timings.enter("plan");
    spend(2.000_4);
    timings.enter("draw");
    spend(30);
    timings.end();
    expect(timings.times).toEqual({ parse: 1, plan: 2, draw: 30 });
    expect(timings.total).toBeCloseTo(33.000_4);
  });

  it("report the time for locating and reading the file", () => {
    const { timings, spend } = timed();
    timings.enter("info");
    spend(1);
    timings.enter("stored");
    spend(2);
    timings.enter("draw");
    spend(50);
    timings.enter("read");
    spend(4);
    timings.end();
    expect(timings.reading).toBe(7);
  });

  it("add up a repeated stage, as when a file was replaced meanwhile", () => {
    const { timings, spend } = timed();
    timings.enter("info");
    spend(3);
    timings.enter("draw");
    spend(5);
    timings.enter("info");
    spend(4);
    timings.end();
    expect(timings.times).toEqual({ info: 7, draw: 5 });
  });

  it("are final after their end", () => {
    const { timings, spend } = timed();
    timings.enter("draw");
    spend(5);
    timings.end();
    spend(70);
    timings.enter("keep");
    spend(70);
    timings.end();
    expect(timings.times).toEqual({ draw: 5 });
    expect(timings.total).toBe(5);
  });
});
