import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { cantaloupeSample } from "./cantaloupe-sample.ts";
import { checkConfig, reportText } from "./check.ts";
import { defineKeys, type KeyGroup } from "./keys.ts";

const groups: readonly KeyGroup[] = [
  {
    title: "Limits",
    keys: defineKeys({
      max_pixels: { type: "integer", default: 10, min: 0, doc: "" },
      max_scale: { type: "number", default: 1, doc: "" },
    }),
  },
];

const check = async (text: string, env: Readonly<Record<string, string>> = {}) => {
  const folder = await temporaryFolder({ "v.properties": text });
  const report = await checkConfig(join(folder, "v.properties"), groups, env);
  return { report, text: reportText(report).replaceAll(`${folder}/`, "") };
};

describe("checking a configuration", () => {
  test("reveals no password, in any file or the environment", async () => {
    const { text } = await check(
      [
        "max_pixels = postgres://me:hunter2@db/pictures",
        "JdbcCache.url jdbc:mysql://me:hunter2@db/pictures?user=me",
      ].join("\n"),
      { MAX_SCALE: "jdbc:mysql://db/pictures?user=me&password=hunter2" },
    );
    expect(text).toContain('got "postgres://me:(masked)@db/pictures"');
    expect(text).toContain('got "jdbc:mysql://db/pictures?user=me&password=(masked)"');
    expect(text).toContain("//me:(masked)@db/pictures?user: there is no such key");
    expect(text).not.toContain("hunter2");
  });

  test("reports errors, oddities, keys without effect and what the environment sets", async () => {
    const { text } = await check(
      [
        "max_pixel = 5",
        "max_pixels = many",
        "http.max_threads = 5",
        "auth.basic.enabled = true",
        "log.access.SyslogAppender.host = a",
        "allow_upscaling = true",
        "processor.jpg = Java2dProcessor",
        "something.else = 1",
      ].join("\n"),
      { MAX_SCALE: "2" },
    );
    expect(text).toBe(`Errors:
  max_pixels: expected an integer of at least 0, got "many" (v.properties:2).
  auth.basic.enabled: asks for a user name and a password for every image, which Vitrine does not have yet (v.properties:4). Images would be served without that protection. Remove the key or switch it off, or set unsupported_protection = ignore to serve them all the same.

Warnings:
  max_pixel: there is no such key (v.properties:1). Is max_pixels meant?
  allow_upscaling: has no effect (v.properties:6). Use max_scale instead.
  something.else: there is no such key (v.properties:8).

Keys that have no effect here:
  One event loop handles all requests; processor.max_running limits how many images are rendered concurrently.
    http.max_threads
  Logs do not go to syslog yet.
    log.access.SyslogAppender.host
  Use processor.ManualSelectionStrategy.jpg instead. Vitrine chooses how to read an image by its content.
    processor.jpg

Values from the environment:
  max_scale: set by MAX_SCALE, whatever the file says.

v.properties: not usable: 2 errors; the server would not start.
`);
  });

  test("has nothing to report for a good file", async () => {
    expect((await check("max_pixels = 5\n")).text).toBe("v.properties: good.\n");
  });

  test("finds no error in Cantaloupe's keys", async () => {
    const { report } = await check(cantaloupeSample.map((key) => `${key} =`).join("\n"));
    expect(report.errors).toEqual([]);
  });

  test("neutralises terminal control characters, whatever the file", async () => {
    const { text } = await check("a\u001b[2J\u009b1mb = 1\n");
    expect(text).toContain("a\uFFFD[2J\uFFFD1mb: there is no such key");
  });

  test("keeps the report short for a file of nonsense", async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `${index} nonsense${index % 2 ? "" : "="}`,
    );
    const { report } = await check(lines.join("\n"));
    expect(report.warnings.length).toBeLessThan(200);
    expect(report.warnings.map(({ message }) => message)).toContain("9900 more keys are unknown.");
  });
});
