import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trustIn } from "./proxies.ts";
import { type ConnectionFacts, publicAddress } from "./urls.ts";

const arrival = (
  headers: Record<string, string>,
  more: Partial<ConnectionFacts> = {},
): ConnectionFacts => ({
  headers: { host: "inner:8182", ...headers },
  encrypted: false,
  peer: "127.0.0.1",
  local: { address: "127.0.0.1", port: 8182 },
  authority: undefined,
  ...more,
});

const all = trustIn(["all"]);

const base = (headers: Record<string, string>, more: Partial<ConnectionFacts> = {}): string =>
  publicAddress(arrival(headers, more), "", all).base;

describe("the public base", () => {
  it.each([
    [{}, "http://inner:8182"],
    [{ host: "a.example" }, "http://a.example"],
    [{ host: "a.example:80" }, "http://a.example"],
    [{ host: "[::1]:8182" }, "http://[::1]:8182"],
    [{ "x-forwarded-proto": "HTTPS" }, "https://inner:8182"],
    [{ "x-forwarded-proto": "https,http", host: "a.example" }, "https://a.example"],
    [{ "x-forwarded-host": "b.example" }, "http://b.example"],
    [{ "x-forwarded-host": "b.example:90, c.example" }, "http://b.example:90"],
    [{ "x-forwarded-host": "https://b.example" }, "http://b.example"],
    [{ "x-forwarded-proto": "https", "x-forwarded-host": "b.example:443" }, "https://b.example"],
    [{ "x-forwarded-port": "443", "x-forwarded-proto": "https" }, "https://inner"],
    [{ "x-forwarded-port": "99" }, "http://inner:99"],
    [{ "x-forwarded-path": "/p/q/, /r" }, "http://inner:8182/p/q"],
    [{ "x-forwarded-path": "p" }, "http://inner:8182/p"],
    [{ "x-forwarded-path": "/" }, "http://inner:8182"],
    [{ forwarded: 'for=192.0.2.1;host="b.example:90";proto=https, for=x' }, "https://b.example:90"],
    [{ forwarded: "host=b.example", "x-forwarded-proto": "https" }, "https://inner:8182"],
  ])("for %j is %s", (headers, expected) => {
    expect(base(headers)).toBe(expected);
  });

  it.each([
    { host: "a b" },
    { host: 'a"><script>' },
    { host: "a/b" },
    { host: "a@b" },
    { host: "" },
    { host: "a:99999" },
    { host: "[::z]" },
  ])("ignores the Host header of %j", (headers) => {
    expect(base(headers)).toBe("http://127.0.0.1:8182");
  });

  it.each([
    { "x-forwarded-proto": "javascript" },
    { "x-forwarded-host": "a b" },
    { "x-forwarded-port": "0" },
    { "x-forwarded-port": "many" },
    { forwarded: 'host="a b";proto=ftp' },
    { forwarded: '"' },
  ])("ignores %j", (headers) => {
    expect(base(headers)).toBe("http://inner:8182");
  });

  it("is https on an encrypted connection", () => {
    expect(base({ host: "a.example:443" }, { encrypted: true })).toBe("https://a.example");
  });

  it("is base_uri if that is set to a valid address", () => {
    const headers = { "x-forwarded-host": "b.example" };
    const of = (uri: string): string => publicAddress(arrival(headers), uri, all).base;
    expect(of("https://c.example/p/")).toBe("https://c.example/p");
    expect(of("c.example")).toBe("http://b.example");
  });

  it("never contains anything that could end a header, a tag or a link", () => {
    const name = fc.constantFrom(
      "host",
      "forwarded",
      "x-forwarded-host",
      "x-forwarded-proto",
      "x-forwarded-port",
      "x-forwarded-path",
      "x-forwarded-id",
    );
    const value = fc.string({
      unit: fc.integer({ min: 9, max: 255 }).map((c) => String.fromCharCode(c)),
    });
    fc.assert(
      fc.property(fc.dictionary(name, value), (headers) => {
        const address = publicAddress(arrival(headers), "", all);
        const made = `${address.base}/iiif/3/${address.identifier ?? "a"}`;
        expect(made).toMatch(/^https?:\/\/[\w.~!$&'()*+,;=:@%/?[\]-]+$/);
        expect(URL.canParse(made)).toBe(true);
      }),
    );
  });
});

describe("trust", () => {
  const clientOf = (headers: Record<string, string>): string =>
    publicAddress(arrival(headers), "", trustIn(["loopback", "private"])).client;

  it.each([
    ["127.0.0.1", ["loopback"], true],
    ["::1", ["loopback"], true],
    ["::ffff:127.0.0.1", ["127.0.0.1"], true],
    ["10.1.2.3", ["private"], true],
    ["fd00::1", ["private"], true],
    ["203.0.113.9", ["loopback", "private"], false],
    ["203.0.113.9", ["203.0.113.0/24"], true],
    ["203.0.114.9", ["203.0.113.0/24"], false],
    ["2001:db8::9", ["2001:db8::/32"], true],
    ["2001:db8:0:1::9", ["2001:db8:0:1::/64"], true],
    ["2001:db8:0:2::9", ["2001:db8:0:1::/64"], false],
    ["2001:db8::9", ["2001:db8::/129"], false],
    ["10.1.2.3", ["10.1.2.0/33"], false],
    ["203.0.113.9", ["all"], true],
    ["127.0.0.1", ["none"], false],
    ["127.0.0.1", ["nonsense", "1.2.3.4/99", ""], false],
    ["", ["loopback"], false],
  ])("of %s in %j is %s", (address, list, expected) => {
    expect(trustIn(list)(address)).toBe(expected);
  });

  it("decides whose forwarding headers are believed", () => {
    const headers = {
      "x-forwarded-host": "b.example",
      "x-forwarded-id": "x%2Fy",
      "x-forwarded-for": "192.0.2.1",
      forwarded: "host=c.example",
    };
    const stranger = arrival(headers, { peer: "203.0.113.9" });
    expect(publicAddress(stranger, "", trustIn(["loopback"]))).toEqual({
      base: "http://inner:8182",
      client: "203.0.113.9",
    });
    expect(publicAddress(arrival(headers), "", trustIn(["loopback"]))).toEqual({
      base: "http://b.example",
      identifier: "x%2Fy",
      client: "192.0.2.1",
      proxy: "127.0.0.1",
    });
  });

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["1.1.1.1, 192.0.2.1:4711, 10.0.0.1", "192.0.2.1"],
    ["[2001:db8::1]:4711", "2001:db8::1"],
    ["10.0.0.2, 10.0.0.1", "10.0.0.2"],
    ["unknown", "127.0.0.1"],
    ["1.1.1.1, unknown", "127.0.0.1"],
    ["1.1.1.1, unknown, 10.0.0.1", "10.0.0.1"],
  ])("finds the client in X-Forwarded-For: %s", (header, client) => {
    expect(clientOf({ "x-forwarded-for": header })).toBe(client);
  });

  it.each([
    ["for=1.1.1.1, for=192.0.2.1, for=10.0.0.1", "192.0.2.1"],
    ['for=1.1.1.1, for="[2001:db8::1]:4711";proto=https', "2001:db8::1"],
    ["for=1.1.1.1, for=_hidden, for=10.0.0.1", "10.0.0.1"],
    ["for=1.1.1.1, proto=https", "127.0.0.1"],
  ])("finds the client in Forwarded: %s", (header, client) => {
    expect(clientOf({ forwarded: header })).toBe(client);
  });

  it("takes scheme and host from the first element of Forwarded, however many follow", () => {
    const further = new Array<string>(40).fill("for=10.0.0.1;proto=http;host=inner.example");
    const forwarded = ["for=192.0.2.1;proto=https;host=a.example", ...further].join(",");
    expect(base({ forwarded })).toBe("https://a.example");
  });

  it.each([
    ["x-forwarded-for", (address: string) => address],
    ["forwarded", (address: string) => `for=${address}`],
  ])("finds the client that a proxy added in %s, however many precede it", (name, written) => {
    const forged = Array.from({ length: 40 }, (_, at) => written(`198.51.100.${at}`));
    const header = [...forged, written("192.0.2.1")].join(", ");
    const found = publicAddress(arrival({ [name]: header }), "", trustIn(["loopback"]));
    expect(found.client).toBe("192.0.2.1");
  });

  it.each([
    [{}, undefined],
    [{ "x-forwarded-proto": "https" }, undefined],
    [{ "x-forwarded-for": "192.0.2.1" }, "127.0.0.1"],
    [{ "x-forwarded-for": "nobody" }, "127.0.0.1"],
    [{ forwarded: "for=_hidden" }, "127.0.0.1"],
  ])("identifies the proxy that names a client: %j", (headers, proxy) => {
    expect(publicAddress(arrival(headers), "", trustIn(["loopback"])).proxy).toBe(proxy);
    expect(publicAddress(arrival(headers), "", trustIn(["none"])).proxy).toBeUndefined();
  });
});
