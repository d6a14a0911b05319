import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { keyGroups } from "../../src/app/keys.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Administered, secret, startAdministered } from "./administered.ts";
import { basic, startPanelled } from "./panelled.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
const start = async (...lines: readonly string[]): Promise<Administered> => {
  const server = await startAdministered(lines);
  open.push(server);
  return server;
};
const startPanel = async (...lines: readonly string[]) => {
  const server = await startPanelled(lines);
  open.push(server);
  await server.enter();
  return server;
};

const allowing = "endpoint.api.change_file_only_keys";
const json = { accept: "application/json" };
const put = (server: Administered, body: object) =>
  server.ask("PUT", "/configuration", { body, headers: json });

/** What an intruder with the API's password would set. */
const attempts: readonly (readonly [string, unknown])[] = [
  ["FfmpegProcessor.path_to_binaries", "/srv/evil"],
  ["FilesystemSource.BasicLookupStrategy.path_prefix", "/"],
  ["FilesystemSource.BasicLookupStrategy.path_suffix", "/../../etc/passwd"],
  ["FilesystemSource.follow_symlinks", true],
  ["log.access.FileAppender.pathname", "/etc/ssh/authorized_keys"],
  ["log.error.RollingFileAppender.TimeBasedRollingPolicy.filename_pattern", "/etc/cron.d/%d{dd}"],
  ["endpoint.api.show_secrets", true],
  ["endpoint.api.secret", "another"],
  ["endpoint.api.secret", null],
  ["endpoint.admin.username", "intruder"],
  ["FilesystemCache.pathname", "/etc"],
  ["http.host", "::"],
  ["http.port", 9_000],
  ["https.key_store_path", "/srv/evil.p12"],
  ["http.trusted_proxies", ["all"]],
  ["base_uri", "https://evil.example.org"],
  ["print_stack_trace_on_error_pages", true],
  ["S3Cache.endpoint", "http://169.254.169.254"],
  ["RedisCache.host", "internal"],
  ["JdbcCache.url", "jdbc:sqlite:/etc/passwd"],
  ["AzureStorageCache.account_key", "a"],
  ["compatibility", "cantaloupe"],
  ["unsupported_protection", "ignore"],
  [allowing, true],
  ["extends", "/srv/evil.properties"],
  // Keys that no part of the server defines may be another version's.
  ["delegate_script.pathname", "/srv/evil.rb"],
  ["HttpSource.BasicLookupStrategy.url_prefix", "http://internal/"],
  ["log.application.SyslogAppender.host", "internal"],
  // Would make the file one of Cantaloupe's, by which private networks are trusted.
  ["processor.selection_strategy", "ManualSelectionStrategy"],
];

describe("a file-only key", () => {
  it.each(attempts)("cannot be changed through the API (403): %s", async (key, value) => {
    const server = await start();
    const before = await server.text();
    const told = await put(server, { max_pixels: 5, [key]: value });
    expect(told.status).toBe(403);
    expect(told.json().message).toContain("can only be changed in the configuration file");
    expect(await server.text()).toBe(before);
    expect((await server.ask("GET", "/configuration")).json()).not.toHaveProperty("max_pixels");
  });

  it.each([
    ["the panel", "/admin/api/configuration"],
    ["scripts of Cantaloupe's panel", "/admin/configuration"],
  ])("cannot be changed with 403 through %s", async (_, path) => {
    const server = await startPanel();
    const before = await server.text();
    const told = await server.ask("PUT", path, {
      body: { max_pixels: 5, "FfmpegProcessor.path_to_binaries": "/srv/evil" },
      login: basic,
      headers: { ...json, "content-type": "application/json" },
    });
    expect(told.status).toBe(403);
    expect(told.text).toContain(
      "FfmpegProcessor.path_to_binaries: can only be changed in the configuration file, since it decides which programs and scripts the server runs.",
    );
    expect(told.text).toContain(`${allowing} = true`);
    expect(await server.text()).toBe(before);
  });

  it("is reported with all other errors", async () => {
    const server = await start();
    const told = await put(server, { max_pixels: "many", "http.port": "abc", nonsense: 1 });
    expect(told.status).toBe(403);
    expect(told.json().faults).toEqual([
      expect.stringContaining("max_pixels: expected"),
      expect.stringContaining("http.port: can only be changed"),
      expect.stringContaining("nonsense: there is no such key"),
      expect.stringContaining("http.port: expected an integer"),
    ]);
  });

  it("may be sent back unchanged as part of a whole configuration", async () => {
    const parent = await temporaryFolder({ "parent.properties": "max_scale = 2\n" });
    const server = await start(
      `extends = ${parent}/parent.properties`,
      "base_uri = https://images.example.org",
      "JdbcCache.url = jdbc:postgresql://me:hunter2@localhost/cache",
      "JdbcSource.password = hunter2",
      "log.access.FileAppender.pathname = ~/access.log",
    );
    const shown = (await server.ask("GET", "/configuration")).json();
    expect(shown["endpoint.api.secret"]).toBe("(masked)");
    const told = await put(server, { ...shown, max_pixels: 5 });
    expect(told.status).toBe(200);
    expect(told.json().changed).toEqual(["max_pixels"]);
    const text = await server.text();
    expect(text).toContain(`endpoint.api.secret = ${secret}\n`);
    expect(text).toContain("postgresql://me:hunter2@localhost");
    expect(text).toContain("pathname = ~/access.log\n");
  });

  it("may be sent back as part of a whole Cantaloupe configuration", async () => {
    const sample = new URL("../cli/cantaloupe.properties", import.meta.url);
    const server = await start(...(await readFile(sample, "utf8")).split("\n"));
    const shown = (await server.ask("GET", "/configuration")).json();
    expect(Object.keys(shown).length).toBeGreaterThan(100);
    const told = await put(server, { ...shown, max_pixels: 5 });
    expect([told.status, told.json().changed]).toEqual([200, ["max_pixels"]]);
  });

  it("may be sent at its default, or in another spelling", async () => {
    const server = await start("http.port = 8182");
    const same = {
      "https.enabled": "0",
      "http.port": "08182",
      "http.trusted_proxies": "loopback",
      "S3Cache.bucket.name": null,
      [allowing]: false,
      "delegate_script.pathname": "",
    };
    const before = await server.text();
    const told = await put(server, same);
    expect([told.status, told.json().changed]).toEqual([200, []]);
    expect(await server.text()).toBe(before);
  });

  it("is rejected if half of a mask is sent back in it", async () => {
    const uri = "jdbc:postgresql://me:(masked)@elsewhere/cache";
    const server = await start(`JdbcCache.url = ${uri.replace("(masked)", "hunter2")}`);
    expect((await put(server, { "JdbcCache.url": uri.replace("cache", "other") })).status).toBe(
      403,
    );
  });

  it("can be changed if the file allows it, but never what guards other keys", async () => {
    const server = await start(`${allowing} = true`);
    expect((await put(server, { "endpoint.api.secret": "another" })).status).toBe(200);
    expect(await server.text()).toContain("endpoint.api.secret = another\n");
    const login = "keeper:another";
    for (const body of [{ unsupported_protection: "ignore" }, { [allowing]: null }])
      expect((await server.ask("PUT", "/configuration", { body, login })).status).toBe(403);
    const { warnings } = (await server.ask("GET", "/status", { login })).json();
    expect(warnings.join()).toContain(allowing);
  });

  it("is shown as locked in the panel, with the reason", async () => {
    const entriesOf = async (...lines: readonly string[]) => {
      const server = await startPanel(...lines);
      const { groups } = (await server.call("GET", "configuration")).json();
      // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect, and fail where it is not there
      return groups.flatMap(({ entries }: any) => entries) as any[];
    };
    const locks = new Map((await entriesOf()).map(({ key, lock }) => [key, lock]));
    expect(locks.get("http.port")).toEqual({
      reason: "it decides where the server listens",
      allowedBy: allowing,
    });
    expect(locks.get(allowing)).toEqual({ reason: expect.any(String) });
    expect(locks.get("max_pixels")).toBeUndefined();
    const allowed = await entriesOf(`${allowing} = true`);
    expect(allowed.filter(({ lock }) => lock).map(({ key }) => key)).toEqual(
      keyGroups.flatMap(({ keys }) =>
        Object.entries(keys).flatMap(([key, { fileOnly }]) => (fileOnly === "lock" ? [key] : [])),
      ),
    );
  });
});
