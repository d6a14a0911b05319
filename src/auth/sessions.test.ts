import { describe, expect, test } from "vitest";
import { createSeal } from "./sealed.ts";
import { createSessions } from "./sessions.ts";

const secret = "a-secret-of-32-characters-or-more";
const other = "another-secret-of-32-characters-or-more";
const ada = { name: "Ada Ünger", groups: ["staff"] };

describe("a seal", () => {
  test("opens what one of its secrets has sealed for the same purpose, and nothing else", () => {
    const seal = createSeal([secret]);
    const text = seal.seal("session", { a: "ü" });
    expect(text).toMatch(/^[\w-]+$/);
    expect(createSeal([other, secret]).open("session", text)).toEqual({ a: "ü" });
    expect(seal.open("token", text)).toBeUndefined();
    expect(createSeal([other]).open("session", text)).toBeUndefined();
    for (const wrong of ["", "a", "=", "ü", "a".repeat(5_000), `${text}A`, text.slice(1)])
      expect(seal.open("session", wrong)).toBeUndefined();
  });

  test("opens nothing with a single changed character", () => {
    const seal = createSeal([secret]);
    const text = seal.seal("session", { name: "ada" });
    for (let n = 0; n < text.length - 1; n++) {
      const changed = text.slice(0, n) + (text[n] === "A" ? "B" : "A") + text.slice(n + 1);
      expect(seal.open("session", changed), String(n)).toBeUndefined();
    }
  });
});

describe("sessions", () => {
  test("last for their time, and tokens no longer than they", () => {
    let now = 1_000_000;
    const sessions = createSessions([secret], () => now);
    const cookie = sessions.begin("readers", ada, 100);
    const session = sessions.find(cookie);
    if (typeof session === "string") throw new Error(session);
    expect(session).toMatchObject({ service: "readers", ...ada });
    expect(sessions.token(session, 1_000).seconds).toBe(100);
    const { token, seconds } = sessions.token(session, 50);
    expect(seconds).toBe(50);
    expect(sessions.standsFor(token)).toMatchObject({ id: session.id, ...ada });
    now += 50_000;
    expect(sessions.standsFor(token)).toBe("expired");
    expect(sessions.find(cookie)).toMatchObject(ada);
    now += 50_000;
    expect(sessions.find(cookie)).toBe("expired");
  });

  test("are neither tokens nor those of another secret", () => {
    const sessions = createSessions([secret]);
    const cookie = sessions.begin("readers", ada, 100);
    const session = sessions.find(cookie);
    if (typeof session === "string") throw new Error(session);
    expect(sessions.standsFor(cookie)).toBe("invalid");
    expect(sessions.find(sessions.token(session, 50).token)).toBe("invalid");
    expect(createSessions([other]).find(cookie)).toBe("invalid");
  });

  test("end with all their tokens", () => {
    const sessions = createSessions([secret]);
    const cookies = [1, 2].map(() => sessions.begin("readers", ada, 100));
    const [one, two] = cookies.map((cookie) => sessions.find(cookie));
    if (typeof one !== "object" || typeof two !== "object") throw new Error("Expected sessions");
    const { token } = sessions.token(one, 50);
    sessions.end(one);
    expect(sessions.standsFor(token)).toBe("invalid");
    expect(cookies.map((cookie) => typeof sessions.find(cookie))).toEqual(["string", "object"]);
  });
});
