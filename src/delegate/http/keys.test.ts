import { describe, expect, it } from "vitest";
import { delegateFaults, isDelegateEnabled } from "./keys.ts";

const faultsOf = (values: Readonly<Record<string, unknown>>) =>
  delegateFaults({ values: { "delegate.http.secret": "x".repeat(16), ...values } }).map(
    ({ message }) => message,
  );

describe("the keys of a delegate over HTTP", () => {
  it.each(["http://127.0.0.1:9000", "https://rules.example.org/iiif/", "HTTP://[::1]/a"])(
    "accept the address %s",
    (url) => {
      expect(faultsOf({ "delegate.http.url": url })).toEqual([]);
      expect(isDelegateEnabled({ "delegate.http.url": url })).toBe(true);
    },
  );

  it.each([
    "rules.example.org",
    "ftp://rules.example.org/",
    "http://",
    "http://me:pass@rules.example.org/",
    "http://rules.example.org/?a=1",
    "http://rules.example.org/?",
    "http://rules.example.org/#a",
  ])("refuse the address %s", (url) => {
    expect(faultsOf({ "delegate.http.url": url })).toEqual([
      expect.stringMatching(/^delegate\.http\.url: expected an address of http or https without/),
    ]);
  });

  it("refuse a guessable secret, and a script as well", () => {
    const url = { "delegate.http.url": "http://127.0.0.1" };
    expect(faultsOf({ ...url, "delegate.http.secret": "short" })).toEqual([
      expect.stringContaining("delegate.http.secret: expected at least 16 characters"),
    ]);
    expect(faultsOf({ ...url, "delegate_script.enabled": true })).toEqual([
      expect.stringContaining("there is one delegate, but delegate_script.enabled is true as well"),
    ]);
  });

  it("require nothing without an address", () => {
    expect(delegateFaults({ values: {} })).toEqual([]);
    expect(isDelegateEnabled({ "delegate.http.url": "" })).toBe(false);
  });
});
