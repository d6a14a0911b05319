import { describe, expect, it } from "vitest";
import { patient } from "./patience.ts";
import { retryAfterSeconds, Unreachable, type WarmAnswer, WarmStopped } from "./target.ts";

const { signal } = new AbortController();

/** Sends one request to a target that answers so, one after the other, with a clock of its own. */
const ask = async (...answers: (number | Unreachable | Partial<WarmAnswer>)[]) => {
  let time = 0;
  let calls = 0;
  const get = patient(
    {
      name: "it",
      isOneLogin: true,
      get: async () => {
        const answer = answers[Math.min(calls++, answers.length - 1)];
        if (answer instanceof Unreachable) throw answer;
        const status = typeof answer === "number" ? answer : 503;
        return { status, bytes: 0, text: "", ...(typeof answer === "object" ? answer : {}) };
      },
    },
    {
      now: () => time,
      wait: async (ms) => {
        time += ms;
      },
    },
  );
  const answer = await get("/", signal);
  return { status: answer.status, calls, time };
};

describe("patient requests", () => {
  it("are retried after 503 when Retry-After allows, a limited number of times", async () => {
    expect(await ask({ retryAfter: 7 }, 503, 200)).toEqual({ status: 200, calls: 3, time: 8_000 });
    expect(await ask({ retryAfter: 1e9 }, 200)).toMatchObject({ time: 60_000 });
    expect(await ask(503)).toMatchObject({ status: 503, calls: 10 });
  });

  it("are retried after temporary failures, but not after others", async () => {
    expect(await ask(504, 502, 200)).toMatchObject({ status: 200, calls: 3 });
    expect(await ask(502)).toMatchObject({ status: 502, calls: 3 });
    expect(await ask(404)).toMatchObject({ status: 404, calls: 1 });
    expect(await ask(new Unreachable("away"), 200)).toMatchObject({ status: 200, calls: 2 });
  });

  it("end the run if the target is unreachable or a login is missing", async () => {
    await expect(ask(new Unreachable("away"))).rejects.toThrow("away");
    await expect(ask(401)).rejects.toThrow(WarmStopped);
  });
});

describe("Retry-After", () => {
  it("is seconds or a date", () => {
    expect(retryAfterSeconds("120")).toBe(120);
    const date = "Wed, 21 Oct 2015 07:28:00 GMT";
    expect(retryAfterSeconds(date, Date.parse(date) - 5_000)).toBe(5);
    expect(retryAfterSeconds("soon")).toBeUndefined();
    expect(retryAfterSeconds(undefined)).toBeUndefined();
  });
});
