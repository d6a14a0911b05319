import type { LookupAddress } from "node:dns";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Origin, startOrigin } from "../../test/servers/origin.ts";
import { ForbiddenAddress, type Resolver } from "./guarded-connection.ts";
import { BadRedirect, createHttpClient, type HttpClient, type HttpClientOptions } from "./http.ts";

let trusted: Origin;
let other: Origin;
const clients: HttpClient[] = [];

beforeAll(async () => {
  trusted = await startOrigin();
  other = await startOrigin();
});

beforeEach(() => {
  for (const origin of [trusted, other]) {
    origin.requests.length = 0;
    origin.fault = () => undefined;
    origin.files.set("/a", { bytes: Buffer.from("picture") });
  }
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await trusted.close();
  await other.close();
});

const clientWith = (options: Partial<HttpClientOptions> = {}): HttpClient => {
  const client = createHttpClient({
    connectMs: 5_000,
    connections: 4,
    insecure: false,
    isTrusted: (origin) => origin === trusted.base,
    ...options,
  });
  clients.push(client);
  return client;
};

const ask = async (client: HttpClient, address: string, ownHeaders = {}): Promise<string> => {
  const signal = AbortSignal.timeout(10_000);
  const response = await client.get(new URL(address), { headers: {}, ownHeaders, signal });
  const parts: Uint8Array[] = [];
  for await (const part of response.body) parts.push(part);
  return `${response.status} ${Buffer.concat(parts)}`;
};

/** What undici threw, or its cause. */
const reasonOf = async (asked: Promise<string>): Promise<unknown> =>
  asked.then(
    (answer) => answer,
    (error: unknown) => error,
  );

describe("the web client", () => {
  it("reads from a configured origin, on loopback too", async () => {
    expect(await ask(clientWith(), `${trusted.base}/a`)).toBe("200 picture");
  });

  it("connects to no other loopback address, literal or resolved", async () => {
    const resolve: Resolver = (_host, _options, done) =>
      done(null, [{ address: "127.0.0.1", family: 4 }]);
    const client = clientWith({ resolve });
    const { port } = new URL(other.base);
    for (const address of [
      `${other.base}/a`,
      `http://images.example:${port}/a`,
      `http://0x7f.1:${port}/a`,
    ])
      expect(await reasonOf(ask(client, address))).toBeInstanceOf(ForbiddenAddress);
    expect(other.requests).toEqual([]);
  });

  it("resolves a host once per connection, so that a second DNS answer cannot differ", async () => {
    let looks = 0;
    const resolve: Resolver = (_host, _options, done) => {
      looks++;
      const found: LookupAddress = { address: looks === 1 ? "192.0.2.1" : "127.0.0.1", family: 4 };
      done(null, [found]);
    };
    const { port } = new URL(other.base);
    const client = clientWith({ resolve });
    expect(await reasonOf(ask(client, `http://rebinding.example:${port}/a`))).toBeInstanceOf(
      ForbiddenAddress,
    );
    expect(looks).toBe(1);
    expect(other.requests).toEqual([]);
  });

  it("follows no redirect to loopback, in circles, too often, or to a file", async () => {
    const client = clientWith();
    const { port } = new URL(trusted.base);
    trusted.fault = () => "to loopback";
    expect(await reasonOf(ask(client, `http://127.0.0.1:${port}/a`))).toBeInstanceOf(
      ForbiddenAddress,
    );
    for (const fault of ["circle", "far redirect", "to file"] as const) {
      trusted.fault = () => fault;
      expect(await reasonOf(ask(client, `${trusted.base}/a`))).toBeInstanceOf(BadRedirect);
    }
    expect(trusted.requests.length).toBeLessThan(12);
  });

  it("sends its own headers to the first origin only, not along with a redirect", async () => {
    const client = clientWith({ isTrusted: () => true });
    trusted.fault = () => undefined;
    expect(await ask(client, `${trusted.base}/a`, { authorization: "Basic abc" })).toBe(
      "200 picture",
    );
    expect(trusted.requests[0]?.headers.authorization).toBe("Basic abc");
    trusted.redirect = `${other.base}/a`;
    expect(await ask(client, `${trusted.base}/a`, { authorization: "Basic abc" })).toBe(
      "200 picture",
    );
    trusted.redirect = undefined;
    expect(other.requests).toHaveLength(1);
    expect(other.requests[0]?.headers.authorization).toBe(undefined);
  });

  it("uses a configured proxy", async () => {
    const { hostname, port } = new URL(other.base);
    const client = clientWith({ proxy: `http://${hostname}:${port}`, isTrusted: () => true });
    other.files.set("http://images.example/a", { bytes: Buffer.from("by proxy") });
    expect(await ask(client, "http://images.example/a")).toBe("200 by proxy");
  });
});
