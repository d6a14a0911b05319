import { describe, expect, test } from "vitest";
import { LoginAttempts } from "./attempts.ts";

const clock = () => {
  let now = 0;
  return { now: () => now, pass: (ms: number) => (now += ms) };
};
const ada = { name: "ada", client: "192.0.2.1" };

describe("attempts to log in", () => {
  test("for one user from one address are delayed after a few wrong ones, valid ones too", () => {
    const { now, pass } = clock();
    const attempts = new LoginAttempts(now);
    for (let n = 0; n < 5; n++) expect(attempts.admit(ada, false)).toBe(0);
    expect(attempts.heldFor(ada)).toBe(1);
    expect(attempts.admit(ada, true)).toBe(1);
    // Neither another user nor another address waits.
    expect(attempts.heldFor({ ...ada, name: "bob" })).toBe(0);
    expect(attempts.heldFor({ ...ada, client: "192.0.2.2" })).toBe(0);
    pass(1_000);
    expect(attempts.admit(ada, true)).toBe(0);
  });

  test("for one user from everywhere share one allowance, except where the user logged in before", () => {
    const attempts = new LoginAttempts(() => 0);
    expect(attempts.admit(ada, true)).toBe(0);
    for (let n = 0; n < 50; n++)
      expect(attempts.admit({ name: "ada", client: `198.51.100.${n}` }, false)).toBe(0);
    expect(attempts.admit({ name: "ada", client: "203.0.113.1" }, true)).toBe(3);
    expect(attempts.admit(ada, true)).toBe(0);
  });

  test("from one address share one allowance, whichever users they are for", () => {
    const attempts = new LoginAttempts(() => 0);
    // Addresses of one IPv6 network count as one.
    for (let n = 0; n < 50; n++)
      expect(attempts.admit({ name: `user${n}`, client: `2001:db8::${n}` }, false)).toBe(0);
    expect(attempts.heldFor({ name: "someone", client: "2001:db8::ffff" })).toBe(3);
    expect(attempts.heldFor({ name: "someone", client: "2001:db8:0:1::1" })).toBe(0);
  });

  test("that are valid in between do not allow more guesses from an address", () => {
    const attempts = new LoginAttempts(() => 0);
    for (let n = 0; n < 50; n++) {
      attempts.admit({ name: `user${n}`, client: ada.client }, false);
      attempts.admit(ada, true);
    }
    expect(attempts.heldFor({ ...ada, name: "someone" })).toBe(3);
  });
});
