import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Origin, startOrigin } from "../../test/servers/origin.ts";
import { createHttpClient, type HttpClient } from "../clients/http.ts";
import { rememberRedirects } from "./http-redirects.ts";

let first: Origin;
let second: Origin;
let inner: HttpClient;
let now = 0;

beforeAll(async () => {
  first = await startOrigin();
  second = await startOrigin();
  inner = createHttpClient({
    connectMs: 5_000,
    connections: 4,
    insecure: false,
    isTrusted: (origin) => origin === first.base || origin === second.base,
  });
});

beforeEach(() => {
  now = 0;
  for (const origin of [first, second]) {
    origin.requests.length = 0;
    origin.fault = () => undefined;
    origin.redirect = undefined;
    origin.redirectHeaders = {};
    origin.redirectStatus = 302;
    origin.files.set("/a", { bytes: Buffer.from("picture") });
  }
  first.redirect = `${second.base}/a`;
});

afterAll(async () => {
  await inner.close();
  await first.close();
  await second.close();
});

const get = async (client: HttpClient, ownHeaders = {}): Promise<string> => {
  const signal = AbortSignal.timeout(10_000);
  const response = await client.get(new URL(`${first.base}/a`), {
    headers: {},
    ownHeaders,
    signal,
  });
  const parts: Uint8Array[] = [];
  for await (const part of response.body) parts.push(part);
  return `${response.status} ${Buffer.concat(parts)}`;
};

const client = (): HttpClient => rememberRedirects(inner, () => now);
const counts = (): readonly number[] => [first.requests.length, second.requests.length];

describe("redirects", () => {
  it.each([
    [302, {}, 29, 31],
    [307, {}, 29, 31],
    [301, {}, 3_599, 3_601],
    [308, {}, 3_599, 3_601],
    [302, { "cache-control": "private, max-age=300" }, 299, 301],
    [301, { "cache-control": "max-age=60" }, 59, 61],
    [302, { "cache-control": "max-age=999999" }, 3_599, 3_601],
  ])(
    "of status %i with %j are cached for %i s and not %i",
    async (status, headers, holds, ends) => {
      first.redirectStatus = status;
      first.redirectHeaders = headers;
      const asking = client();
      expect(await get(asking)).toBe("200 picture");
      now = holds * 1_000;
      expect(await get(asking)).toBe("200 picture");
      expect(counts()).toEqual([1, 2]);
      now = ends * 1_000;
      await get(asking);
      expect(counts()).toEqual([2, 3]);
    },
  );

  it.each(["no-store", "no-cache", "max-age=0"])("with %s are not cached", async (control) => {
    first.redirectHeaders = { "cache-control": control };
    const asking = client();
    await get(asking);
    await get(asking);
    expect(counts()).toEqual([2, 2]);
  });

  it.each(["401", "403", "404", "reset"] as const)(
    "are followed again if their target responds with %s",
    async (fault) => {
      const asking = client();
      await get(asking);
      second.fault = (_, count) => (count === 2 ? fault : undefined);
      expect(await get(asking)).toBe("200 picture");
      expect(counts()).toEqual([2, 3]);
    },
  );

  it("are followed again for other credentials, which never leave their origin", async () => {
    const asking = client();
    for (const authorization of ["one", "other", "one"])
      expect(await get(asking, { authorization })).toBe("200 picture");
    expect(counts()).toEqual([2, 3]);
    expect(first.requests.map(({ headers }) => headers.authorization)).toEqual(["one", "other"]);
    for (const { headers } of second.requests) expect(headers.authorization).toBeUndefined();
  });

  it("do not restart a request that was given up", async () => {
    const asking = client();
    await get(asking);
    const signal = AbortSignal.abort();
    const given = asking.get(new URL(`${first.base}/a`), { headers: {}, signal });
    await expect(given).rejects.toThrow();
    expect(counts()).toEqual([1, 1]);
  });
});
