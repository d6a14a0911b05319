import { describe, expect, it, vi } from "vitest";
import { ServerError } from "../core/errors.ts";
import { silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { runCheck } from "./checks.ts";
import { brokenOrigins, placesOf, SourceChecks } from "./source-checks.ts";
import type { OriginStatus, SourceStatus } from "./status.ts";

const never = new AbortController().signal;

const remote = (reach: Source["reach"]): Source => ({
  find: async () => Promise.reject(new Error("not asked for")),
  origins: () => [],
  ...(reach ? { reach } : {}),
});

const run = async (checks: SourceChecks, signal = never) =>
  Promise.all(checks.checks.map((one) => runCheck(one, { ms: 5_000, signal }, silent)));

const origin = (name: string, breaker: OriginStatus["breaker"]): OriginStatus => ({
  origin: name,
  breaker,
  ...{ running: 0, waiting: 0, requests: 9, failures: 9, bytes: 0, averageMs: 1 },
});

const of = (origins: readonly OriginStatus[]): SourceStatus => ({
  ...{ kind: "HttpSource", served: [], origins },
});

const looked = (sources: readonly SourceStatus[]) =>
  Promise.all(
    brokenOrigins(sources).map((one) => runCheck(one, { ms: 5_000, signal: never }, silent)),
  );

describe("the check of sources", () => {
  it("checks each source that can be checked, by name where there are several", async () => {
    const parts = [
      { name: "source.rules.1", kind: "S3Source", source: remote(async () => "there") },
      { name: "source.rules.2", kind: "HttpSource", source: remote(undefined) },
      {
        name: "source.static",
        kind: "JdbcSource",
        source: remote(async () => Promise.reject(new Error("no"))),
      },
    ];
    expect(await run(new SourceChecks(placesOf(parts)))).toMatchObject([
      { name: "source.rules.1, S3Source", color: "GREEN" },
      { name: "source.static, JdbcSource", color: "RED" },
    ]);
    expect(placesOf(parts.slice(0, 1))).toMatchObject([{ name: "source" }]);
  });

  it("explains in plain words why a remote one cannot be reached, without its library's message", async () => {
    const error = Object.assign(new Error("getaddrinfo ENOTFOUND secret.example"), {
      code: "ENOTFOUND",
    });
    const reach = async () => Promise.reject(error);
    const part = { name: "source.static", kind: "S3Source", source: remote(reach) };
    const [check] = await run(new SourceChecks(placesOf([part])));
    expect(check).toMatchObject({ color: "RED", message: expect.stringContaining("DNS") });
    expect(JSON.stringify(check)).not.toContain("secret");
  });

  it("checks a remote one at most once in a while, however often it is run", async () => {
    let now = 0;
    const reach = vi.fn(async () => "there" as const);
    const part = { name: "source.static", kind: "S3Source", source: remote(reach) };
    const checks = new SourceChecks(placesOf([part]), () => now);
    await run(checks);
    await run(checks);
    expect(await checks.isEmpty("S3Source", never)).toBe(false);
    expect(reach).toHaveBeenCalledTimes(1);
    now = 60_000;
    await run(checks);
    expect(reach).toHaveBeenCalledTimes(2);
  });

  it("does not blame a source for a caller that left", async () => {
    const leaving = new AbortController();
    let isFirst = true;
    const reach = vi.fn(async (signal: AbortSignal) => {
      if (!isFirst) return "there" as const;
      isFirst = false;
      leaving.abort(new ServerError("aborted", "The client left."));
      return Promise.reject(signal.reason);
    });
    const part = { name: "source.static", kind: "S3Source", source: remote(reach) };
    const checks = new SourceChecks(placesOf([part]));
    await run(checks, leaving.signal);
    expect(await run(checks)).toMatchObject([{ color: "GREEN" }]);
  });

  it("checks a local one every time", async () => {
    const reach = vi.fn(async () => "empty" as const);
    const { origins: _, ...local } = remote(reach);
    const part = { name: "source.static", kind: "FilesystemSource", source: local };
    const checks = new SourceChecks(placesOf([part]));
    await run(checks);
    await run(checks);
    expect(reach).toHaveBeenCalledTimes(2);
    expect(await checks.isEmpty("FilesystemSource", never)).toBe(true);
    expect(await checks.isEmpty("S3Source", never)).toBe(false);
  });
});

describe("servers that keep failing", () => {
  it("are not mentioned while all is well", async () => {
    expect(await looked([of([origin("https://a.example", "closed")]), of([])])).toEqual([]);
  });

  it("make a source YELLOW while others of its servers answer, and RED where none does", async () => {
    const [a, b] = [origin("https://a.example", "open"), origin("https://b.example", "closed")];
    expect(await looked([of([a, b])])).toMatchObject([
      {
        name: "HttpSource, https://a.example",
        color: "YELLOW",
        message: expect.stringContaining("not asked for a while"),
      },
    ]);
    expect(await looked([of([a])])).toMatchObject([{ color: "RED" }]);
    expect(await looked([of([origin("https://a.example", "trying")])])).toMatchObject([
      { color: "YELLOW", message: expect.stringContaining("tried again") },
    ]);
  });

  it("are named up to a limit, and counted beyond", async () => {
    const many = Array.from({ length: 25 }, (_, n) => origin(`https://${n}.example`, "open"));
    const checks = await looked([of(many)]);
    expect(checks).toHaveLength(11);
    expect(checks.at(-1)).toMatchObject({ name: "HttpSource, 15 more", color: "RED" });
  });
});
