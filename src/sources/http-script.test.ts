import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { fakeDelegate } from "../../test/fake-delegate.ts";
import { remoteSettings } from "../../test/memory-store.ts";
import { type Origin, startOrigin } from "../../test/servers/origin.ts";
import { Config } from "../config/store.ts";
import { type Logger, silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { withSessions } from "./delegated.ts";
import { http } from "./http.ts";
import { createRemote } from "./remote/remote.ts";

const bytes = Uint8Array.from({ length: 300_007 }, (_, index) => (index * 7 + (index >> 8)) % 251);
const name = "maps/a.tif";
let origin: Origin;
let elsewhere: Origin;
const sources: Source[] = [];

beforeAll(async () => {
  [origin, elsewhere] = await Promise.all([startOrigin(), startOrigin()]);
});
beforeEach(() => {
  for (const one of [origin, elsewhere]) {
    one.fault = () => undefined;
    one.redirect = undefined;
    one.requests.length = 0;
    one.files.set("/images/maps/a.tif", { bytes, etag: '"one"' });
  }
});
afterAll(async () => {
  for (const source of sources) await source.close?.();
  await Promise.all([origin.close(), elsewhere.close()]);
});

type Answer = (identifier: string, headers: Readonly<Record<string, string>>) => unknown;

const addressOf = (identifier: string): string =>
  `${origin.base}/images/${identifier.split("/").map(encodeURIComponent).join("/")}`;

/** A source whose delegate returns `answer` of the identifier and the client's headers. */
const make = (
  answer: Answer = addressOf,
  {
    log = silent,
    allowed = [origin.base, elsewhere.base],
  }: { readonly log?: Logger; readonly allowed?: readonly string[] } = {},
) => {
  const { delegate } = fakeDelegate({
    httpsource_resource_info: ({ identifier, request_headers = {} }) =>
      answer(String(identifier), request_headers),
  });
  const config = new Config({
    "HttpSource.lookup_strategy": "ScriptLookupStrategy",
    // Meaningless here.
    "HttpSource.BasicLookupStrategy.url_prefix": `${origin.base}/images/`,
    "HttpSource.allowed_origins": allowed,
  });
  const remote = createRemote(() => remoteSettings, log);
  const source = withSessions(http.create(config.view(http.keys), log, remote), delegate);
  sources.push(source);
  /** As a client that sends these headers. */
  const findAs = (headers: Readonly<Record<string, string>>) => {
    const context = contextOf(name);
    const session = delegate.session(
      { identifier: name, request_headers: headers },
      { id: context.requestId, signal: context.signal },
    );
    return source.find(name, { ...context, delegate: session });
  };
  return { source, findAs };
};
const find = (source: Source, identifier = name) => source.find(identifier, contextOf(identifier));
const basic = (login: string): string => `Basic ${Buffer.from(login).toString("base64")}`;

sourceContract("HttpSource with a delegate", async () => ({
  source: make().source,
  stored: { identifier: name, bytes },
}));

describe("HttpSource with a delegate", () => {
  it("sends the login and the headers that the delegate names, beside the server's own", async () => {
    await find(
      make((identifier) => ({
        uri: addressOf(identifier),
        username: "me",
        secret: "s3cret",
        headers: { "X-Token": "t0ken", "User-Agent": "Museum/1" },
        send_head_request: false,
      })).source,
    );
    expect(origin.requests[0]?.headers).toMatchObject({
      authorization: basic("me:s3cret"),
      "x-token": "t0ken",
      "user-agent": "Museum/1",
      "accept-encoding": "identity",
      range: "bytes=0-65535",
    });
  });

  it("takes a login from an address, and lets a header override it", async () => {
    const address = addressOf(name).replace("//", "//you:se%20cret@");
    const found = await find(make(() => address).source);
    expect(found.place).toBe(addressOf(name));
    expect(origin.requests[0]?.headers.authorization).toBe(basic("you:se cret"));
    await find(make(() => ({ uri: address, headers: { authorization: "Bearer b" } })).source);
    expect(origin.requests[1]?.headers.authorization).toBe("Bearer b");
  });

  it.each([
    "Host",
    "content-length",
    "Transfer-Encoding",
    "Connection",
    "Range",
    "If-Range",
    "If-None-Match",
    "Accept-Encoding",
    "TE",
  ])("leaves the header %s to the server", async (header) => {
    const { source } = make((identifier) => ({
      uri: addressOf(identifier),
      headers: { [header]: "v4lue" },
    }));
    const refused = await find(source).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      failure: "internal",
      message: expect.stringMatching(
        new RegExp(`httpsource_resource_info.*'${header.toLowerCase()}'`),
      ),
    });
    expect(inspect(refused)).not.toContain("v4lue");
    expect(origin.requests).toEqual([]);
  });

  it("treats null as a missing image, and rejects addresses that climb", async () => {
    await expect(find(make(() => null).source)).rejects.toMatchObject({ failure: "missing" });
    for (const climbing of ["../b", "a/%2e%2e/b", "..\\b", "..%2fb", "./b"]) {
      const { source } = make(() => `${origin.base}/images/${climbing}`);
      await expect(find(source), climbing).rejects.toMatchObject({ failure: "missing" });
    }
    const inHost = make(() => `${origin.base}\\..\\b`);
    await expect(find(inHost.source)).rejects.toMatchObject({ failure: "missing" });
    expect(origin.requests).toEqual([]);
  });

  it.each([
    "images/a.tif",
    "ftp://example.org/a.tif",
    7,
    [],
    { url: "http://example.org/" },
    { uri: "http://example.org/", username: "me" },
    { uri: "http://example.org/", headers: { "a b": "c" } },
    { uri: "http://example.org/", headers: { a: "b\r\nHost: c" } },
  ])("treats %j as a failure of the delegate, and names the method", async (answer) => {
    await expect(find(make(() => answer).source)).rejects.toMatchObject({
      failure: "internal",
      message: expect.stringContaining("httpsource_resource_info"),
    });
  });

  it("reads public addresses only, and configured ones", async () => {
    const { source } = make(undefined, { allowed: [] });
    await expect(find(source)).rejects.toMatchObject({ failure: "denied" });
    expect(origin.requests).toEqual([]);
  });

  it("sends login and headers to no other origin, wherever redirects lead", async () => {
    origin.redirect = `${elsewhere.base}/images/maps/a.tif`;
    const { source } = make((identifier) => ({
      uri: addressOf(identifier),
      username: "me",
      secret: "s3cret",
      headers: { "X-Token": "t0ken" },
    }));
    for (let n = 0; n < 2; n++) {
      const reader = await (await find(source)).open();
      await reader.read(200_000, 10);
    }
    expect(origin.requests[0]?.headers["x-token"]).toBe("t0ken");
    expect(elsewhere.requests.length).toBeGreaterThan(2);
    for (const { headers } of elsewhere.requests)
      expect([headers.authorization, headers["x-token"]]).toEqual([undefined, undefined]);
  });

  it("reveals login, headers and query to neither log nor client", async () => {
    const entries: unknown[] = [];
    const note = (...entry: readonly unknown[]): void => void entries.push(entry);
    const log = { trace: note, debug: note, info: note, warn: note, error: note };
    const { source } = make(
      (identifier) => ({
        uri: `${addressOf(identifier)}?sig=s1gnature`,
        username: "me",
        secret: "s3cret",
        headers: { "X-Token": "t0ken" },
      }),
      { log },
    );
    for (const fault of ["500", "reset", "401", "other range", "circle"] as const) {
      origin.fault = () => fault;
      const told = inspect(await find(source).catch((error: unknown) => error), { depth: 9 });
      expect(told).not.toMatch(/s3cret|s1gnature|t0ken/);
      expect(told).not.toContain(basic("me:s3cret"));
    }
    expect(inspect(entries, { depth: 9 })).not.toMatch(/s3cret|s1gnature|t0ken|bWU6/);
  });

  it("does not share data read with credentials with other requests", async () => {
    const { findAs } = make((identifier, { "X-User": user = "" }) => ({
      uri: addressOf(identifier),
      headers: { "X-User": user },
    }));
    origin.fault = ({ headers }) => (headers["x-user"] === "eve" ? "403" : undefined);
    const first = await findAs({ "X-User": "ann" });
    const reader = await first.open();
    await reader.read(0, bytes.length);
    await expect(findAs({ "X-User": "eve" })).rejects.toMatchObject({ failure: "denied" });
    const before = origin.sent;
    const second = await (await findAs({ "X-User": "bob" })).open();
    await second.read(0, bytes.length);
    // All of it was fetched with the client's own header.
    expect(origin.sent - before).toBe(bytes.length);
    const again = origin.sent;
    await (await (await findAs({ "X-User": "ann" })).open()).read(0, bytes.length);
    expect(origin.sent - again).toBe(1);
  });
});
