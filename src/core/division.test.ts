import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Claim, divide } from "./division.ts";

const claims = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 8 }),
  fc
    .tuple(fc.nat(1_000_000), fc.nat(1_000), fc.nat(1_000_000_000))
    .map(([floor, weight, more]): Claim => ({ floor, weight, ceiling: floor + more })),
  { noNullPrototype: true },
);

const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

describe("division", () => {
  it("gives no more than the total, unless the floors exceed it", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31), claims, (whole, parts) => {
        const floors = Object.values(parts).reduce((sum, { floor }) => sum + floor, 0);
        expect(sumOf(divide(whole, parts))).toBeLessThanOrEqual(Math.max(whole, floors));
      }),
    );
  });

  it("gives each part between its floor and its ceiling", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31), claims, (whole, parts) => {
        const divided = divide(whole, parts);
        for (const [name, { floor, ceiling }] of Object.entries(parts)) {
          expect(divided[name]).toBeGreaterThanOrEqual(floor);
          expect(divided[name]).toBeLessThanOrEqual(ceiling);
        }
      }),
    );
  });

  it("leaves almost nothing as long as a part may have more", () => {
    const parts = {
      one: { floor: 10, weight: 1, ceiling: 50 },
      other: { floor: 0, weight: 3, ceiling: 1_000 },
    };
    expect(divide(40, parts)).toEqual({ one: 10, other: 30 });
    expect(divide(400, parts)).toEqual({ one: 50, other: 350 });
    expect(divide(4_000, parts)).toEqual({ one: 50, other: 1_000 });
    expect(divide(5, parts)).toEqual({ one: 10, other: 0 });
  });
});
