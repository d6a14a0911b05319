import { describe, expect, it } from "vitest";
import { LoginThrottle } from "./login-throttle.ts";

const clock = () => {
  let now = 0;
  return { now: () => now, pass: (ms: number) => (now += ms) };
};

const wrong = { address: "192.0.2.1", right: false };
const right = { address: "192.0.2.1", right: true };

describe("guessing passwords", () => {
  it("is free a few times, then delayed longer and longer", () => {
    const { now, pass } = clock();
    const loginThrottle = new LoginThrottle(now);
    for (let n = 0; n < 5; n++) expect(loginThrottle.admit(wrong)).toBe(0);
    expect(loginThrottle.admit(wrong)).toBe(1);
    expect(loginThrottle.admit(right)).toBe(1);
    pass(1_000);
    expect(loginThrottle.admit(wrong)).toBe(0);
    expect(loginThrottle.admit(wrong)).toBe(2);
    for (let n = 0; n < 20; n++) {
      pass(30_000);
      expect(loginThrottle.admit(wrong)).toBe(0);
    }
    expect(loginThrottle.admit(right)).toBe(30);
  });

  it("accepts the password after the delay, and forgets earlier failures", () => {
    const { now, pass } = clock();
    const loginThrottle = new LoginThrottle(now);
    for (let n = 0; n < 5; n++) loginThrottle.admit(wrong);
    pass(1_000);
    expect(loginThrottle.admit(right)).toBe(0);
    for (let n = 0; n < 5; n++) expect(loginThrottle.admit(wrong)).toBe(0);
  });

  it("blocks one address and no other, and for IPv6 a whole network", () => {
    const loginThrottle = new LoginThrottle(() => 0);
    const from = (address: string) => loginThrottle.admit({ address, right: false });
    for (let n = 0; n < 5; n++) from("192.0.2.1");
    expect(from("192.0.2.1")).toBe(1);
    expect(from("192.0.2.2")).toBe(0);
    for (let n = 0; n < 5; n++) from(`2001:db8::${n}`);
    expect(from("2001:db8:0:0:ffff::9")).toBe(1);
    expect(from("2001:0DB8:0000:0001::9")).toBe(0);
  });

  it("through one proxy is bounded, whatever addresses it reports", () => {
    const { now, pass } = clock();
    const loginThrottle = new LoginThrottle(now);
    const proxy = "10.0.0.1";
    const guess = (n: number) =>
      loginThrottle.admit({ address: `192.0.${n >> 8}.${n & 255}`, proxy, right: false });
    const held = Array.from({ length: 300 }, (_, n) => guess(n)).filter((seconds) => seconds > 0);
    expect(held).toEqual(new Array(250).fill(3));
    pass(3_000);
    expect(guess(300)).toBe(0);
    expect(guess(301)).toBe(3);
  });

  it("through a proxy blocks nobody who connects directly or through another", () => {
    const loginThrottle = new LoginThrottle(() => 0);
    for (let n = 0; n < 300; n++)
      loginThrottle.admit({ ...wrong, address: `192.0.2.${n % 50}`, proxy: "10.0.0.1" });
    expect(loginThrottle.admit({ ...right, proxy: "10.0.0.1" })).toBeGreaterThan(0);
    expect(loginThrottle.admit({ ...right, proxy: "10.0.0.2" })).toBe(0);
    expect(loginThrottle.admit(right)).toBe(0);
    expect(loginThrottle.admit({ address: "10.0.0.1", right: true })).toBe(0);
  });

  it("through a proxy blocks nobody who has logged in from the same address before", () => {
    const loginThrottle = new LoginThrottle(() => 0);
    const known = { address: "203.0.113.1", proxy: "10.0.0.1", right: true };
    expect(loginThrottle.admit(known)).toBe(0);
    for (let n = 0; n < 300; n++)
      loginThrottle.admit({ ...wrong, address: `192.0.2.${n}`, proxy: "10.0.0.1" });
    expect(loginThrottle.admit({ ...known, address: "203.0.113.2" })).toBeGreaterThan(0);
    expect(loginThrottle.admit(known)).toBe(0);
    // Forging a known address gives no more attempts than any other address.
    for (let n = 0; n < 5; n++) expect(loginThrottle.admit({ ...known, right: false })).toBe(0);
    expect(loginThrottle.admit({ ...known, right: false })).toBe(1);
  });

  it("by one client behind a proxy leaves the allowance of others", () => {
    const { now, pass } = clock();
    const loginThrottle = new LoginThrottle(now);
    for (let second = 0; second < 3_600; second++) {
      loginThrottle.admit({ ...wrong, proxy: "10.0.0.1" });
      pass(1_000);
    }
    expect(loginThrottle.admit({ address: "192.0.2.2", proxy: "10.0.0.1", right: true })).toBe(0);
  });

  it("is forgotten after a while, and bounded in addresses", () => {
    const { now, pass } = clock();
    const loginThrottle = new LoginThrottle(now);
    for (let n = 0; n < 4; n++) loginThrottle.admit(wrong);
    pass(600_000);
    for (let n = 0; n < 5; n++) expect(loginThrottle.admit(wrong)).toBe(0);
    for (let n = 0; n < 10_000; n++)
      loginThrottle.admit({ address: `10.0.${n >> 8}.${n & 255}`, right: false });
    expect(loginThrottle.admit(right)).toBe(0);
  });
});
