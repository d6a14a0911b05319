import { mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Config, type Snapshot } from "../config/store.ts";
import { type AccessEntry, combined } from "./access.ts";
import { createLogs, type Logs } from "./logs.ts";
import { parseRolling } from "./rolling.ts";

class Captured extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-logs-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const openLogs = (
  values: Snapshot,
): { logs: Logs; config: Config; stdout: Captured; stderr: Captured } => {
  const config = new Config(values);
  const stdout = new Captured();
  const stderr = new Captured();
  return { logs: createLogs(config, { stdout, stderr }), config, stdout, stderr };
};

const entry: AccessEntry = {
  remote: "192.0.2.1",
  time: new Date(2024, 4, 6, 7, 8, 9),
  method: "GET",
  target: "/iiif/3/a/info.json",
  protocol: "HTTP/1.1",
  status: 200,
  bytes: 123,
  referrer: "https://r.example/",
  agent: "a browser",
  milliseconds: 1.25,
};

describe("the application log", () => {
  it("has one line per entry on standard error, from its level up", () => {
    const { logs, stderr } = openLogs({});
    logs.application.info("It started", { port: 8182, name: "two words" });
    logs.application.debug("not this");
    expect(stderr.text).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}It started port=8182 name="two words"\n$/,
    );
  });

  it("keeps text from clients on one line", () => {
    const { logs, stderr } = openLogs({});
    logs.application.warn("for a\nb\u001b[31m", { path: "x\ny", "@timestamp": "z" });
    expect(stderr.text.split("\n")).toHaveLength(2);
    expect(stderr.text).not.toContain("\u001b");
  });

  it("shows an error's stack and causes, indented", () => {
    const { logs, stderr } = openLogs({});
    const error = new Error("outer", { cause: new Error("inner") });
    logs.application.error("It failed", { error });
    const [first, ...rest] = stderr.text.trimEnd().split("\n");
    expect(first).toMatch(/ERROR It failed$/);
    expect(rest.every((line) => line.startsWith("    "))).toBe(true);
    expect(stderr.text).toContain("Caused by: Error: inner");
  });

  it("masks credentials", () => {
    const { logs, stderr } = openLogs({});
    const headers = { authorization: "Basic c2VjcmV0", cookie: "sid=secret", accept: "*/*" };
    logs.application.info("asked", { headers, authorization: "Basic c2VjcmV0" });
    expect(stderr.text).not.toMatch(/c2VjcmV0|sid=secret/);
    expect(stderr.text).toContain("*/*");
  });

  it("masks passwords in URLs in messages and in errors with their causes", () => {
    const { logs, stderr } = openLogs({});
    const error = new Error("No way to postgres://me:hunter2@db/p", {
      cause: new Error("Asked jdbc:mysql://db/p?user=me&password=hunter2"),
    });
    logs.application.error("No https://me:hunter2@store/", { error });
    expect(stderr.text).not.toContain("hunter2");
    expect(stderr.text).toContain("password=(masked)");
  });

  it("is JSON in Logstash's format if configured", () => {
    const { logs, stderr } = openLogs({
      "log.application.ConsoleAppender.logstash.enabled": true,
      "log.application.level": "warn",
    });
    logs.application.info("not this");
    logs.application.error("It failed", { request: "r1", level: 7 });
    const json = JSON.parse(stderr.text);
    expect(json).toMatchObject({
      "@version": "1",
      level: "ERROR",
      message: "It failed",
      request: "r1",
    });
    expect(new Date(json["@timestamp"]).toISOString()).toBe(json["@timestamp"]);
  });

  it("is written to files, errors also to their own, and follows the settings", async () => {
    const application = join(folder, "deep", "application.log");
    const errors = join(folder, "error.log");
    const values = {
      "log.application.ConsoleAppender.enabled": false,
      "log.application.FileAppender.enabled": true,
      "log.application.FileAppender.pathname": application,
      "log.error.FileAppender.enabled": true,
      "log.error.FileAppender.pathname": errors,
      "log.application.level": "off",
    };
    const { logs, config, stderr } = openLogs(values);
    logs.application.info("first");
    logs.application.warn("second");
    config.replace({ ...values, "log.application.level": "all" });
    logs.application.trace("third");
    await logs.close();
    expect(await readFile(application, "utf8")).toMatch(/^[\d-]+ [\d:.]+ TRACE third\n$/);
    expect(await readFile(errors, "utf8")).toMatch(/ WARN {2}second\n$/);
    expect(stderr.text).toBe("");
  });

  it("rejects invalid settings at the start, and keeps the previous ones later", () => {
    const bad = { "log.access.FileAppender.enabled": true };
    expect(() => openLogs(bad)).toThrow("log.access.FileAppender.pathname: expected the path");
    const { logs, config, stderr } = openLogs({});
    config.replace(bad);
    logs.application.info("still here");
    expect(stderr.text).toContain("the old ones stay");
    expect(stderr.text).toContain("still here");
  });

  it("reports once that a file cannot be written, and the server continues", async () => {
    const { logs, stderr } = openLogs({
      "log.application.ConsoleAppender.enabled": false,
      "log.application.FileAppender.enabled": true,
      "log.application.FileAppender.pathname": folder,
    });
    logs.application.info("one");
    await logs.close();
    expect(stderr.text.match(/cannot be written/g)).toHaveLength(1);
  });
});

describe("the access log", () => {
  it("has the combined format with milliseconds appended", () => {
    expect(combined(entry)).toMatch(
      /^192\.0\.2\.1 - - \[06\/May\/2024:07:08:09 [+-]\d{4}\] "GET \/iiif\/3\/a\/info\.json HTTP\/1\.1" 200 123 "https:\/\/r\.example\/" "a browser" 1\.\d$/,
    );
  });

  it("keeps quotes and line breaks from clients inside their fields", () => {
    const { referrer: _, ...rest } = entry;
    const line = combined({ ...rest, agent: 'a" 1\n2', user: "x y" });
    expect(line).toContain(' "-" "a\\x22 1\\x0a2" ');
    expect(line).toContain("192.0.2.1 - x\\x20y [");
  });

  it("goes to standard output regardless of the application log's level", () => {
    const { logs, stdout } = openLogs({
      "log.access.ConsoleAppender.enabled": true,
      "log.application.level": "off",
    });
    logs.access(entry);
    expect(stdout.text).toBe(`${combined(entry)}\n`);
  });

  it("is JSON if configured, with fields that the combined format lacks", () => {
    const { logs, stdout } = openLogs({
      "log.access.ConsoleAppender.enabled": true,
      "log.access.format": "json",
    });
    const agent = 'a "browser"\nof two lines';
    const stages = { parse: 0.125, draw: 6_000.5 };
    logs.access({ ...entry, agent, request: "r1", identifier: "maps/a", stages });
    logs.access(entry);
    const [line = "", ...rest] = stdout.text.trimEnd().split("\n");
    expect(rest).toHaveLength(1);
    const { time, ...facts } = entry;
    const at = { "@timestamp": time.toISOString(), "@version": "1" };
    const further = { agent, request: "r1", identifier: "maps/a", stages };
    expect(JSON.parse(line)).toEqual({ ...facts, ...at, ...further });
  });

  it("renames yesterday's file by its date", async () => {
    const path = join(folder, "access.log");
    await writeFile(path, "old\n");
    await utimes(path, new Date(2024, 4, 5, 12), new Date(2024, 4, 5, 12));
    const { logs } = openLogs({
      "log.access.RollingFileAppender.enabled": true,
      "log.access.RollingFileAppender.pathname": path,
      "log.access.RollingFileAppender.TimeBasedRollingPolicy.filename_pattern": join(
        folder,
        "access-%d{yyyy-MM-dd}.log",
      ),
    });
    logs.access(entry);
    await logs.close();
    expect(await readFile(path, "utf8")).toBe(`${combined(entry)}\n`);
    expect(await readFile(join(folder, "access-2024-05-05.log"), "utf8")).toBe("old\n");
  });
});

describe("the pattern of a rolling file", () => {
  it.each([
    ["a-%d{yyyy-MM-dd}.log", "1d", "a-2024-05-06.log"],
    ["a-%d{yyyy-MM-dd_HH}.log", "1h", "a-2024-05-06_07.log"],
    ["a-%d{yyyyMM}.log.gz", "1M", "a-202405.log.gz"],
    ["%d{yyyy, aux}/%d{MM-dd-HH-mm}.log", "1m", "2024/05-06-07-08.log"],
    ["a-%d.log", "1d", "a-2024-05-06.log"],
  ])("%s has a period of %s and the name %s", (pattern, interval, name) => {
    const rolling = parseRolling(pattern, "key");
    expect(rolling.interval).toBe(interval);
    expect(rolling.name(entry.time)).toBe(name);
  });

  it("requires a date", () => {
    expect(() => parseRolling("a.log", "the.key")).toThrow(
      "the.key: expected a file name with a date",
    );
  });
});
