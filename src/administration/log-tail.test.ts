import { describe, expect, it, vi } from "vitest";
import { silent } from "../core/log.ts";
import { LogTail } from "./log-tail.ts";

const messages = (tail: LogTail, query: Parameters<LogTail["find"]>[0] = {}) =>
  tail.find(query).entries.map(({ message }) => message);

describe("the latest log entries", () => {
  it("are limited in number, oldest first", () => {
    const tail = new LogTail(() => 10);
    for (let n = 1; n <= 100; n++) tail.keep("info", `entry ${n}`);
    expect(messages(tail)).toEqual(Array.from({ length: 10 }, (_, n) => `entry ${91 + n}`));
    expect(messages(tail, { limit: 2 })).toEqual(["entry 99", "entry 100"]);
    expect(tail.find({}).last).toBe(100);
  });

  it("are found by number, level and text", () => {
    const tail = new LogTail(() => 100);
    tail.keep("debug", "a detail");
    tail.keep("warn", "Something odd", { identifier: "Maps/A.tif" });
    tail.keep("error", "Something broke");
    expect(messages(tail, { level: "warn" })).toEqual(["Something odd", "Something broke"]);
    expect(messages(tail, { text: "maps/a" })).toEqual(["Something odd"]);
    expect(messages(tail, { after: 2 })).toEqual(["Something broke"]);
    expect(messages(tail, { after: 3 })).toEqual([]);
  });

  it("hold no secrets, and nothing endless or circular", () => {
    const tail = new LogTail(() => 100);
    const circle: { self?: unknown } = {};
    circle.self = circle;
    tail.keep("error", "redis://user:hunter2@host failed", {
      error: new Error("postgres://user:hunter2@host"),
      authorization: "Basic hunter2",
      headers: { cookie: "hunter2" },
      circle,
      long: "x".repeat(100_000),
      when: new Date(0),
    });
    const text = JSON.stringify(tail.find({}));
    expect(text).not.toContain("hunter2");
    expect(text).toContain("1970");
    expect(text.length).toBeLessThan(10_000);
  });

  it("are passed on to the log unchanged", () => {
    const tail = new LogTail(() => 100);
    const warn = vi.fn();
    const log = tail.keeping({ ...silent, warn }, (level) => level !== "debug");
    log.debug("A detail");
    log.warn("Odd", { n: 1 });
    expect(warn).toHaveBeenCalledWith("Odd", { n: 1 });
    expect(messages(tail)).toEqual(["Odd"]);
  });
});
