import { describe, expect, it } from "vitest";
import { Config } from "../config/store.ts";
import { admissionLimits, drawingKeys } from "./drawing.ts";

const giga = 2 ** 30;
const limitsOf = (
  values: Readonly<Record<string, unknown>>,
  workers: number,
  machine = { processors: 8 },
) => admissionLimits(new Config(values).view(drawingKeys)(), machine, { workers });

describe("the limits of rendering", () => {
  it("divide the machine among the workers", () => {
    expect(limitsOf({ "processor.memory_budget": 8 * giga }, 4)).toMatchObject({
      small: { running: 6, bytes: giga / 2 },
      large: { running: 1, bytes: 1.5 * giga },
      waiting: 250,
    });
  });

  it("never exceed the memory budget together", () => {
    for (const workers of [1, 2, 3, 7]) {
      const { small, large } = limitsOf({ "processor.memory_budget": giga }, workers);
      expect((small.bytes + large.bytes) * workers).toBeLessThanOrEqual(giga);
    }
  });

  it("leave each worker some capacity on the smallest machine", () => {
    const { small, large } = limitsOf({ "processor.max_running": 1 }, 4, {
      processors: 1,
    });
    expect([small.running, large.running]).toEqual([1, 1]);
  });
});
