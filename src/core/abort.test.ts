import { describe, expect, test } from "vitest";
import { aborted, settleWithin, sleep, untilAborted } from "./abort.ts";

const never = new Promise<never>(() => {});
const reason = new Error("the client left");

describe("a call with a signal", () => {
  test("returns the outcome of the call", async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(signal, Promise.resolve(1))).resolves.toBe(1);
    await expect(untilAborted(signal, async () => 2)).resolves.toBe(2);
    await expect(untilAborted(signal, Promise.reject(reason))).rejects.toBe(reason);
    const thrower = (): Promise<number> => {
      throw reason;
    };
    await expect(untilAborted(signal, thrower)).rejects.toBe(reason);
  });

  test("rejects with the reason as soon as it aborts", async () => {
    const controller = new AbortController();
    const outcome = untilAborted(controller.signal, never);
    controller.abort(reason);
    await expect(outcome).rejects.toBe(reason);
  });

  test("is not started once aborted, and a later rejection is not unhandled", async () => {
    const signal = AbortSignal.abort(reason);
    let calls = 0;
    const call = async (): Promise<void> => {
      calls++;
    };
    await expect(untilAborted(signal, call)).rejects.toBe(reason);
    expect(calls).toBe(0);
    await expect(untilAborted(signal, Promise.reject(new Error("late")))).rejects.toBe(reason);
  });
});

test("sleeping ends with the reason of the signal", async () => {
  const controller = new AbortController();
  await expect(sleep(1, controller.signal)).resolves.toBeUndefined();
  const sleeping = sleep(60_000, controller.signal);
  const over = aborted(controller.signal);
  controller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(over).resolves.toBeUndefined();
  await expect(aborted(controller.signal)).resolves.toBeUndefined();
});

test("waiting for work ends with the work, or at the limit", async () => {
  await expect(settleWithin([Promise.reject(reason)], 60_000)).resolves.toBeUndefined();
  await expect(settleWithin([never], 5)).resolves.toBeUndefined();
});
