import { describe, expect, it } from "vitest";
import { Guesses } from "./guesses.ts";

const clock = () => {
  let now = 0;
  return { now: () => now, pass: (ms: number) => (now += ms) };
};

const wrong = { address: "192.0.2.1", right: false };
const right = { address: "192.0.2.1", right: true };

describe("guessing passwords", () => {
  it("is free a few times, and then held longer and longer", () => {
    const { now, pass } = clock();
    const guesses = new Guesses(now);
    for (let n = 0; n < 5; n++) expect(guesses.admit(wrong)).toBe(0);
    expect(guesses.admit(wrong)).toBe(1);
    expect(guesses.admit(right)).toBe(1);
    pass(1_000);
    expect(guesses.admit(wrong)).toBe(0);
    expect(guesses.admit(wrong)).toBe(2);
    for (let n = 0; n < 20; n++) {
      pass(30_000);
      expect(guesses.admit(wrong)).toBe(0);
    }
    expect(guesses.admit(right)).toBe(30);
  });

  it("lets whoever knows the password in once the hold is over, and forgets the past", () => {
    const { now, pass } = clock();
    const guesses = new Guesses(now);
    for (let n = 0; n < 5; n++) guesses.admit(wrong);
    pass(1_000);
    expect(guesses.admit(right)).toBe(0);
    for (let n = 0; n < 5; n++) expect(guesses.admit(wrong)).toBe(0);
  });

  it("holds one address and not another, and of IPv6 a whole network", () => {
    const guesses = new Guesses(() => 0);
    const from = (address: string) => guesses.admit({ address, right: false });
    for (let n = 0; n < 5; n++) from("192.0.2.1");
    expect(from("192.0.2.1")).toBe(1);
    expect(from("192.0.2.2")).toBe(0);
    for (let n = 0; n < 5; n++) from(`2001:db8::${n}`);
    expect(from("2001:db8:0:0:ffff::9")).toBe(1);
    expect(from("2001:0DB8:0000:0001::9")).toBe(0);
  });

  it("forgets after a while, and has room for so many addresses only", () => {
    const { now, pass } = clock();
    const guesses = new Guesses(now);
    for (let n = 0; n < 4; n++) guesses.admit(wrong);
    pass(600_000);
    for (let n = 0; n < 5; n++) expect(guesses.admit(wrong)).toBe(0);
    for (let n = 0; n < 10_000; n++)
      guesses.admit({ address: `10.0.${n >> 8}.${n & 255}`, right: false });
    expect(guesses.admit(right)).toBe(0);
  });
});
