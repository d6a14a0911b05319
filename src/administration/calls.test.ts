import { afterEach, describe, expect, it, vi } from "vitest";
import { fail } from "../core/errors.ts";
import { type CallMessage, Calls, type Served } from "./calls.ts";

/** Two ends that communicate as two processes do: later, and by copies only. */
const connected = (served: Served): { readonly here: Calls; readonly there: Calls } => {
  const pass = (to: () => Calls) => (message: CallMessage) => {
    const copy = structuredClone(message);
    queueMicrotask(() => to().hear(copy));
    return true;
  };
  const here: Calls = new Calls(pass(() => there));
  const there: Calls = new Calls(pass(() => here));
  there.serve(served);
  return { here, there };
};

afterEach(() => vi.useRealTimers());

describe("calls between processes", () => {
  it("pass arguments and return results", async () => {
    const { here } = connected({ add: async (one: number, other: number) => one + other });
    expect(await here.call("add", [2, 3], 1_000)).toBe(5);
  });

  it("rethrow errors", async () => {
    const { here } = connected({ find: async () => fail("missing", "There is none.") });
    await expect(here.call("find", [], 1_000)).rejects.toMatchObject({
      failure: "missing",
      message: "There is none.",
    });
    await expect(here.call("toString", [], 1_000)).rejects.toMatchObject({
      failure: "unimplemented",
    });
  });

  it("time out without a response, and ignore one that comes later", async () => {
    vi.useFakeTimers();
    const sent: CallMessage[] = [];
    const calls = new Calls((message) => sent.push(message) > 0);
    const asked = expect(calls.call("slow", [], 500)).rejects.toMatchObject({ failure: "late" });
    await vi.advanceTimersByTimeAsync(500);
    await asked;
    expect(calls.hear({ kind: "answer", id: sent[0]?.id, ok: true, value: 1 })).toBe(true);
  });

  it("are aborted when the other process ends, or cannot be reached", async () => {
    const calls = new Calls(() => true);
    const asked = calls.call("any", [], 60_000);
    calls.close();
    await expect(asked).rejects.toMatchObject({ failure: "aborted" });
    await expect(calls.call("any", [], 60_000)).rejects.toMatchObject({ failure: "aborted" });
    const deaf = new Calls(() => false);
    await expect(deaf.call("any", [], 60_000)).rejects.toMatchObject({ failure: "aborted" });
  });

  it("are bounded in number, in both directions", async () => {
    const calls = new Calls(() => true);
    const asked = Array.from({ length: 256 }, () => calls.call("any", [], 60_000));
    await expect(calls.call("any", [], 60_000)).rejects.toMatchObject({ failure: "busy" });
    calls.close();
    expect((await Promise.allSettled(asked)).every(({ status }) => status === "rejected")).toBe(
      true,
    );
  });

  it("ignore other messages", () => {
    const calls = new Calls(() => true);
    for (const message of [undefined, null, 7, "call", {}, { kind: "alive" }, { kind: "call" }])
      expect(calls.hear(message)).toBe(false);
  });
});
