import { describe, expect, it } from "vitest";
import { Sessions } from "./sessions.ts";

const lengths = { "endpoint.admin.session_idle": 100, "endpoint.admin.session_length": 250 };
const credentials = "of a name and a password";

const start = () => {
  const clock = { ms: 0 };
  const sessions = new Sessions(
    () => lengths,
    () => clock.ms,
  );
  const find = (cookie: string, fingerprint = credentials) =>
    sessions.find({ cookie, fingerprint });
  return { sessions, find, clock };
};

describe("a session", () => {
  it("is found by its cookie, with the same token each time, and shares nothing with others", () => {
    const { sessions, find } = start();
    const one = sessions.begin(credentials);
    const other = sessions.begin(credentials);
    expect(find(one.cookie)).toEqual(one);
    expect(find(one.cookie)).toEqual(one);
    expect(other.cookie).not.toBe(one.cookie);
    expect(other.token).not.toBe(one.token);
    expect(one.cookie).not.toContain(one.token);
  });

  it("is not found by a cookie that is not signed, or by another server", () => {
    const { sessions, find } = start();
    const { cookie, token } = sessions.begin(credentials);
    const [name = "", signature = ""] = cookie.split(".");
    const last = signature.endsWith("A") ? "E" : "A";
    const wrong = [
      "",
      name,
      `${name}.`,
      `${name}.${token}`,
      `${name}.${signature.slice(0, -1)}${last}`,
      `${"A".repeat(22)}.${signature}`,
      `${cookie}x`,
      ` ${cookie}`,
      "ü".repeat(66),
    ];
    for (const text of wrong) expect(find(text), text).toBeUndefined();
    expect(start().find(cookie)).toBeUndefined();
    expect(find(cookie)).toBeDefined();
  });

  it("ends after a period of inactivity", () => {
    const { sessions, find, clock } = start();
    const { cookie } = sessions.begin(credentials);
    clock.ms = 99_999;
    expect(find(cookie)).toBeDefined();
    clock.ms = 199_999;
    expect(find(cookie)).toBeUndefined();
    clock.ms = 0;
    expect(find(cookie)).toBeUndefined();
  });

  it("ends after its maximum duration, however active it is", () => {
    const { sessions, find, clock } = start();
    const { cookie } = sessions.begin(credentials);
    for (clock.ms = 50_000; clock.ms < 250_000; clock.ms += 50_000)
      expect(find(cookie)).toBeDefined();
    expect(find(cookie)).toBeUndefined();
  });

  it("ends when it is logged out, and when the credentials change", () => {
    const { sessions, find } = start();
    const one = sessions.begin(credentials);
    const other = sessions.begin(credentials);
    sessions.end(one.cookie);
    sessions.end("nothing");
    expect(find(one.cookie)).toBeUndefined();
    expect(find(other.cookie, "of others")).toBeUndefined();
    // Not even where the old ones are valid again.
    expect(find(other.cookie)).toBeUndefined();
  });

  it("makes room for others above a thousand, unless it was active recently", () => {
    const { sessions, find } = start();
    const first = sessions.begin(credentials);
    const second = sessions.begin(credentials);
    for (let n = 0; n < 998; n++) sessions.begin(credentials);
    expect(find(first.cookie)).toBeDefined();
    sessions.begin(credentials);
    expect(find(first.cookie)).toBeDefined();
    expect(find(second.cookie)).toBeUndefined();
  });
});
