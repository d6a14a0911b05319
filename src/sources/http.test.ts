import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { remoteSettings } from "../../test/memory-store.ts";
import { type Fault, type Origin, startOrigin } from "../../test/servers/origin.ts";
import { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { SourceChanged } from "../core/range-reader.ts";
import type { Source } from "../core/source.ts";
import { http } from "./http.ts";
import { createRemote } from "./remote/remote.ts";

const bytes = Uint8Array.from({ length: 300_007 }, (_, index) => (index * 7 + (index >> 8)) % 251);
const name = "maps/a.tif";
let origin: Origin;
const sources: Source[] = [];

beforeAll(async () => {
  origin = await startOrigin();
});

beforeEach(() => {
  origin.fault = () => undefined;
  origin.requests.length = 0;
  origin.files.set("/images/maps/a.tif", { bytes, etag: '"one"' });
});

afterAll(async () => {
  for (const source of sources) await source.close?.();
  await origin.close();
});

const make = (values: Readonly<Record<string, unknown>> = {}, remote = {}): Source => {
  const config = new Config({
    "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base}/images/`,
    ...values,
  });
  const settings = { ...remoteSettings, "source.response_timeout": 0.3, ...remote };
  const source = http.create(
    config.view(http.keys),
    undefined,
    createRemote(() => settings),
  );
  sources.push(source);
  return source;
};

sourceContract("HttpSource", async () => ({ source: make(), stored: { identifier: name, bytes } }));

const readAll = async (source: Source): Promise<Buffer> => {
  const object = await source.find(name, contextOf(name));
  const reader = await object.open();
  return Buffer.from(await reader.read(0, object.size));
};

const failureOf = async (source: Source): Promise<unknown> => {
  try {
    await readAll(source);
    return "none";
  } catch (error) {
    return error instanceof ServerError ? error.failure : error;
  }
};

describe("a misbehaving web server", () => {
  it.each<[Fault, string]>([
    ["404", "missing"],
    ["401", "denied"],
    ["403", "denied"],
    ["500", "upstream"],
    ["503", "upstream"],
    ["429", "upstream"],
    ["416", "upstream"],
    ["reset", "upstream"],
    ["reset in body", "upstream"],
    ["other range", "upstream"],
    ["odd range", "upstream"],
    ["short range", "upstream"],
    ["wrong length", "upstream"],
    ["gzip", "upstream"],
    ["circle", "upstream"],
    ["far redirect", "upstream"],
    ["to file", "upstream"],
    ["hang", "late"],
    ["hang in body", "late"],
    ["no ranges", "upstream"],
  ])("%s: %s", async (fault, failure) => {
    origin.fault = () => fault;
    expect(await failureOf(make({ "HttpSource.request_timeout": 3 }))).toBe(failure);
  });

  it("is not waited for beyond the deadline, however slowly it responds", async () => {
    origin.fault = () => "drip";
    expect(await failureOf(make({ "HttpSource.request_timeout": 1 }))).toBe("late");
  });

  it("is asked again only where a retry may help", async () => {
    origin.fault = (_, count) => (count < 3 ? "503" : undefined);
    expect((await readAll(make())).equals(bytes)).toBe(true);
    origin.requests.length = 0;
    origin.fault = () => "other range";
    await failureOf(make());
    expect(origin.requests).toHaveLength(1);
  });

  it("is avoided after consecutive failures, and tried again later", async () => {
    const source = make(
      {},
      { "source.attempts": 1, "source.breaker.failures": 2, "source.breaker.seconds": 0.2 },
    );
    origin.fault = () => "reset";
    for (let count = 0; count < 6; count++) expect(await failureOf(source)).toBe("upstream");
    expect(origin.requests).toHaveLength(2);
    origin.fault = () => undefined;
    await expect.poll(() => failureOf(source), { timeout: 10_000, interval: 50 }).toBe("none");
  });

  it("may send whole files only: these are downloaded", async () => {
    for (const fault of ["no ranges", "no length"] as const) {
      origin.fault = () => fault;
      const object = await make().find(name, contextOf(name));
      expect([object.size, object.byRanges]).toEqual([bytes.length, undefined]);
      const download = await object.download?.(new AbortController().signal);
      const parts: Uint8Array[] = [];
      for await (const part of download?.body ?? []) parts.push(part);
      expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    }
  });

  it("may replace a file while it is read: bytes of two states are never mixed", async () => {
    const source = make();
    const object = await source.find(name, contextOf(name));
    const reader = await object.open();
    origin.files.set("/images/maps/a.tif", { bytes: bytes.toReversed(), etag: '"two"' });
    await expect(reader.read(200_000, 100)).rejects.toBeInstanceOf(SourceChanged);
    expect((await readAll(source)).equals(bytes.toReversed())).toBe(true);
  });

  it("does not reveal address, login or query to clients", async () => {
    const source = make({
      "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base.replace("//", "//me:s3cret@")}/images/`,
      "HttpSource.BasicLookupStrategy.url_suffix": "?sig=s1gnature",
    });
    for (const fault of ["500", "reset", "hang", "other range"] as const) {
      origin.fault = () => fault;
      const error = await source.find(name, contextOf(name)).catch((thrown: unknown) => thrown);
      const told = [error, (error as Error).cause, ((error as Error).cause as Error)?.cause]
        .map(String)
        .join();
      expect(told).not.toMatch(/s3cret|s1gnature/);
      expect(String(error)).not.toContain("127.0.0.1");
    }
    const authorization = `Basic ${Buffer.from("me:s3cret").toString("base64")}`;
    expect(origin.requests[0]?.headers.authorization).toBe(authorization);
    expect(origin.requests[0]?.path).toBe("/images/maps/a.tif?sig=s1gnature");
  });
});

describe("HttpSource", () => {
  it("sends the configured login", async () => {
    const source = make({
      "HttpSource.BasicLookupStrategy.auth.basic.username": "me",
      "HttpSource.BasicLookupStrategy.auth.basic.secret": "s3cret",
    });
    await source.find(name, contextOf(name));
    const expected = `Basic ${Buffer.from("me:s3cret").toString("base64")}`;
    expect(origin.requests[0]?.headers.authorization).toBe(expected);
  });

  it("reads whole URLs of the public internet only, and configured ones", async () => {
    const address = `${origin.base}/images/maps/a.tif`;
    const open = make({ "HttpSource.BasicLookupStrategy.url_prefix": "" });
    await expect(open.find(address, contextOf(address))).rejects.toMatchObject({
      failure: "denied",
    });
    const allowed = make({
      "HttpSource.BasicLookupStrategy.url_prefix": "",
      "HttpSource.allowed_origins": [origin.base],
    });
    expect((await allowed.find(address, contextOf(address))).size).toBe(bytes.length);
  });

  it("reports which of its settings is invalid", async () => {
    const unusable = (values: Readonly<Record<string, unknown>>) =>
      http.unusable?.(new Config(values).view(http.keys)());
    const prefix = "HttpSource.BasicLookupStrategy.url_prefix";
    expect(await unusable({ [prefix]: "example.org/images/" })).toMatch(/does not begin with http/);
    expect(await unusable({ "HttpSource.allowed_origins": ["example.org"] })).toMatch(
      /expected origins/,
    );
    expect(await unusable({ "HttpSource.proxy.http.host": "proxy" })).toMatch(/port is not/);
    expect(await unusable({ [prefix]: "https://example.org/images/" })).toBe(undefined);
  });
});
