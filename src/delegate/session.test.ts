import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AnswerCheck, DelegateContext } from "../core/delegate.ts";
import { decision } from "./answers.ts";
import { scriptOf } from "./script/script.ts";
import { ScriptSession } from "./session.ts";

const anything: AnswerCheck<{ readonly answer: unknown }> = {
  expected: "anything",
  read: (answer) => ({ answer }),
};

const sessionOf = (
  delegate: unknown,
  {
    facts = { identifier: "a.tif" },
    signal = new AbortController().signal,
    seconds = 10,
  }: {
    readonly facts?: Partial<DelegateContext>;
    readonly signal?: AbortSignal;
    readonly seconds?: number;
  } = {},
) =>
  new ScriptSession({
    script: scriptOf({ default: delegate }),
    facts,
    request: { id: "r1", signal },
    seconds,
  });

describe("a call", () => {
  test("returns synchronously where the method does, and a promise otherwise", async () => {
    const session = sessionOf({ pre_authorize: () => true, authorize: async () => false });
    expect(session.call("pre_authorize", decision)).toEqual({ kind: "allow" });
    const later = session.call("authorize", decision);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual({ kind: "deny", status: 403 });
    expect([session.has("authorize"), session.has("source")]).toEqual([true, false]);
  });

  test("passes the context in both ways, and a signal", () => {
    class Told {
      context: DelegateContext | undefined;
      authorize(options: { signal: AbortSignal }, context: DelegateContext) {
        return [options.signal.aborted, context === this.context, context.identifier];
      }
      serialize_meta_identifier(argument: unknown, context: DelegateContext) {
        return [argument, context.identifier];
      }
    }
    const session = sessionOf(Told);
    expect(session.call("authorize", anything)).toEqual({ answer: [false, true, "a.tif"] });
    const parts = { identifier: "b" };
    expect(session.call("serialize_meta_identifier", anything, parts)).toEqual({
      answer: [parts, "a.tif"],
    });
  });

  test("sees updates to the context, and keeps earlier values", () => {
    const session = sessionOf({
      source: (_: unknown, { identifier, page_count }: DelegateContext) => [identifier, page_count],
    });
    expect(session.call("source", anything)).toEqual({ answer: ["a.tif", null] });
    session.learn({ page_count: 3 });
    expect(session.call("source", anything)).toEqual({ answer: ["a.tif", 3] });
  });

  test("does not share an object's state between requests", async () => {
    const delegate = {
      context: undefined as DelegateContext | undefined,
      async authorize() {
        await setImmediate();
        return this.context?.identifier;
      },
    };
    const names = Array.from({ length: 20 }, (_, n) => `${n}.tif`);
    const answers = await Promise.all(
      names.map((identifier) =>
        sessionOf(delegate, { facts: { identifier } }).call("authorize", anything),
      ),
    );
    expect(answers).toEqual(names.map((answer) => ({ answer })));
    expect(delegate.context).toBeUndefined();
  });

  test("creates a class instance once per request, at its first call", () => {
    let made = 0;
    class Counted {
      count = 0;
      constructor() {
        made++;
      }
      source() {
        return ++this.count;
      }
    }
    const script = scriptOf({ default: Counted });
    const request = { id: "", signal: new AbortController().signal };
    const parts = { script, facts: {}, request, seconds: 1 };
    const [one, other] = [new ScriptSession(parts), new ScriptSession(parts)];
    const before = made;
    one.call("source", anything);
    expect(one.call("source", anything)).toEqual({ answer: 2 });
    expect(other.call("source", anything)).toEqual({ answer: 1 });
    expect(made - before).toBe(2);
  });
});

describe("a failed call is an internal error, and reports", () => {
  const failure = async (delegate: unknown, options = {}): Promise<unknown> => {
    try {
      return await sessionOf(delegate, options).call("authorize", decision);
    } catch (error) {
      return error;
    }
  };
  const internal = (says: string) => ({
    failure: "internal",
    message: expect.stringContaining(says),
  });

  test.each([
    ["nil", { authorize: () => undefined }, "should answer true, false, or an object"],
    ["a promise of nil", { authorize: async () => null }, "but answered null"],
    [
      "a throw",
      {
        authorize: () => {
          throw new TypeError("no");
        },
      },
      "threw TypeError: no",
    ],
    [
      "a rejection",
      {
        authorize: async () => {
          throw new TypeError("no");
        },
      },
      "threw TypeError: no",
    ],
    [
      "a throw of a text",
      {
        authorize: () => {
          throw "no";
        },
      },
      "threw 'no'",
    ],
    ["a method that is missing", { source: () => "a" }, "is not there"],
    ["a long answer", { authorize: () => "x".repeat(5_000) }, `answered '${"x".repeat(199)}…`],
    [
      "a trap",
      {
        authorize: () => ({
          get status_code() {
            throw new Error("trap");
          },
        }),
      },
      "trap",
    ],
  ])("the failure: %s", async (_, delegate, says) => {
    const error = await failure(delegate);
    expect(error).toMatchObject(internal(says));
    expect((error as Error).message).toMatch(
      /^The delegate's method authorize .*\(request r1 for 'a\.tif'\)\.$/,
    );
  });

  test("the original stack as its cause", async () => {
    const thrown = new Error("no");
    const error = await failure({ authorize: async () => Promise.reject(thrown) });
    expect(error).toMatchObject({ cause: thrown });
  });

  test("no cookies, headers or secrets", async () => {
    const error = await failure({
      authorize: () => ({
        headers: { a: "hunter2" },
        x: { secret: "hunter2" },
        cookies: "hunter2",
      }),
    });
    expect((error as Error).message).toContain("(masked)");
    expect((error as Error).message).not.toContain("hunter2");
  });

  test("that the constructor threw", async () => {
    let tries = 0;
    class Broken {
      constructor() {
        if (tries++ > 0) throw new Error("no database");
      }
      authorize() {
        return true;
      }
    }
    expect(await failure(Broken)).toMatchObject(internal("threw Error: no database"));
  });

  test("that the deadline passed; a late result is dropped", async () => {
    let seen: AbortSignal | undefined;
    const error = await failure(
      {
        authorize: async ({ signal }: { signal: AbortSignal }) => {
          seen = signal;
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          throw new Error("too late for anybody");
        },
      },
      { seconds: 0.02 },
    );
    expect(error).toMatchObject(internal("did not answer within 0.02 s"));
    expect(seen?.aborted).toBe(true);
    // An unhandled rejection would fail the test.
    await setImmediate();
  });
});

test("an aborted request ends the wait with its reason and starts no other call", async () => {
  const request = new AbortController();
  let seen: AbortSignal | undefined;
  const session = sessionOf(
    {
      authorize: ({ signal }: { signal: AbortSignal }) => {
        seen = signal;
        return new Promise(() => {});
      },
    },
    { signal: request.signal },
  );
  const call = session.call("authorize", decision);
  const reason = new Error("the client left");
  request.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect(seen?.reason).toBe(reason);
  expect(() => session.call("authorize", decision)).toThrow(reason);
});
