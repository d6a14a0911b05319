import { describe, expect, it, vi } from "vitest";
import { fail } from "../core/errors.ts";
import { makeInOne } from "./makings.ts";
import { nothingMade } from "./pyramid-tally.ts";
import type { TaskProgress } from "./tasks.ts";

const task = { uuid: "1", verb: "MakePyramid", identifier: "a" } as const;
const half: TaskProgress = { progress: 0.5, pyramids: nothingMade };
const whole: TaskProgress = { progress: 1, pyramids: { ...nothingMade, made: 1 } };

describe("making pyramids in one process", () => {
  it("reports its progress, then its result", async () => {
    let finish = (_: TaskProgress): void => {};
    const member = {
      makePyramids: vi.fn(() => new Promise<TaskProgress>((resolve) => (finish = resolve))),
      making: async () => half,
      stopMaking: async () => {},
    };
    const told: TaskProgress[] = [];
    const signal = new AbortController().signal;
    const result = makeInOne(member, task, (progress) => told.push(progress), signal);
    await vi.waitFor(() => expect(told).toEqual([half]));
    finish(whole);
    await result;
    expect(told).toEqual([half, whole]);
    expect(member.makePyramids).toHaveBeenCalledWith("1", {
      verb: "MakePyramid",
      identifier: "a",
    });
  });

  it("stops the process when the signal aborts", async () => {
    const stopping = new AbortController();
    const stopMaking = vi.fn(async () => {});
    const member = {
      makePyramids: () => new Promise<TaskProgress>(() => {}),
      making: async () => undefined,
      stopMaking,
    };
    void makeInOne(member, task, () => {}, stopping.signal);
    stopping.abort();
    expect(stopMaking).toHaveBeenCalledWith("1");
  });

  it("reports what to do if the process ended or none is serving", async () => {
    const member = {
      makePyramids: async () => fail("aborted", "The other process ended before it answered."),
      making: async () => fail("aborted", "The other process is gone."),
      stopMaking: async () => {},
    };
    const { signal } = new AbortController();
    await expect(makeInOne(member, task, () => {}, signal)).rejects.toThrow(
      "Start the task again; it skips",
    );
    await expect(makeInOne(undefined, task, () => {}, signal)).rejects.toThrow("No process");
  });
});
