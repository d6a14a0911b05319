import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seal, unseal } from "./envelope.ts";

const name = `image/${"a".repeat(32)}/${"b".repeat(32)}`;
const entry = {
  body: Uint8Array.from({ length: 999 }, (_, i) => i),
  storedAt: new Date(1_700_000_000_123),
};

describe("a sealed entry", () => {
  it("gives back what was sealed", () => {
    const { body, storedAt } = unseal(name, seal(name, entry)) ?? {};
    expect(body && Uint8Array.from(body)).toEqual(entry.body);
    expect(storedAt).toEqual(entry.storedAt);
  });

  it("may be empty", () => {
    const empty = { body: new Uint8Array(0), storedAt: new Date(0) };
    expect(unseal(name, seal(name, empty))?.body.length).toBe(0);
  });

  it("is a miss with any bit flipped, any part truncated or anything appended", () => {
    const whole = seal(name, entry);
    fc.assert(
      fc.property(fc.nat(whole.length * 8 - 1), (bit) => {
        const spoilt = Uint8Array.from(whole);
        spoilt[bit >> 3] = (spoilt[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(unseal(name, spoilt)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
    for (let length = 0; length < whole.length; length += 7)
      expect(unseal(name, whole.subarray(0, length))).toBeUndefined();
    expect(unseal(name, Uint8Array.from([...whole, 0]))).toBeUndefined();
  });

  it("is a miss under another name", () => {
    expect(unseal(`info/${"a".repeat(32)}`, seal(name, entry))).toBeUndefined();
  });
});
