import { describe, expect, it } from "vitest";
import { refuseOtherSites } from "./origin.ts";

const base = "https://images.example/p";

/** Whether a request with these headers is allowed. */
const passes = (
  headers: Readonly<Record<string, string>>,
  { method = "PUT", at = base }: { readonly method?: string; readonly at?: string } = {},
): boolean => {
  try {
    refuseOtherSites({ request: { method, headers }, address: { base: at } });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ failure: "denied" });
    return false;
  }
};

describe("a request that another site makes a browser send", () => {
  it.each([
    { origin: "https://evil.example" },
    { origin: "https://images.example.evil.example" },
    { origin: "https://images.example:8443" },
    { origin: "null" },
    { origin: "" },
    { origin: "images.example" },
    { origin: "file://images.example" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "" },
    { "sec-fetch-site": "cross-site", origin: "https://images.example" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
  ])("is refused: %j", (headers) => {
    expect(passes(headers)).toBe(false);
    expect(passes({ ...headers, host: "images.example" })).toBe(false);
    // With neither a URL nor a Host header, no origin is the server's own.
    expect(passes(headers, { at: "" })).toBe(false);
  });

  it.each([
    {},
    { origin: "https://images.example" },
    { origin: "http://images.example" },
    { origin: "https://IMAGES.example" },
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
  ])("is distinguished from this server's own pages and from programs: %j", (headers) => {
    expect(passes(headers)).toBe(true);
  });

  it("is also recognised by the requested host", () => {
    const headers = { origin: "http://inner:8182", host: "INNER:8182" };
    expect(passes(headers)).toBe(true);
    expect(passes({ ...headers, host: "inner" })).toBe(false);
  });

  it("may follow a link, but change nothing", () => {
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(passes(link, { method: "GET" })).toBe(true);
    expect(passes(link, { method: "POST" })).toBe(false);
    expect(passes({ ...link, "sec-fetch-mode": "no-cors" }, { method: "GET" })).toBe(false);
  });
});
