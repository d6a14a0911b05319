import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minMemory } from "../config/memory-keys.ts";
import { Config } from "../config/store.ts";
import { tileKeys } from "../formats/fast-jpeg/keys.ts";
import { drawingKeys } from "../service/drawing.ts";
import {
  budgetWarnings,
  configuredBudget,
  configuredWorkers,
  memoryFor,
  memoryShortage,
  shareMemory,
} from "./budget.ts";

const giga = 2 ** 30;
const mega = 2 ** 20;
const container = { processors: 2, memory: giga, isLimited: true };

const sumOf = ({ parts, workers }: ReturnType<typeof configuredBudget>): number =>
  parts.reduce((sum, { of, bytes }) => sum + bytes * (of === "server" ? 1 : workers), 0);

describe("the memory of a server", () => {
  it("is what a container allows, three quarters of a machine, or what memory.budget says", () => {
    expect(memoryFor(new Config(), container)).toEqual({ bytes: giga, by: "container" });
    expect(memoryFor(new Config(), { ...container, isLimited: false })).toEqual({
      bytes: 0.75 * giga,
      by: "machine",
    });
    const set = new Config({ "memory.budget": 600 * mega });
    expect(memoryFor(set, container)).toEqual({ bytes: 600 * mega, by: "memory.budget" });
  });

  it("is too little below 512 MB, which a message with the relevant key explains", () => {
    expect(memoryShortage({ bytes: 512_000_000, by: "container" })).toBeUndefined();
    expect(memoryShortage({ bytes: 300_000_000, by: "container" })).toBe(
      "There are 300 MB of memory for the server (the limit of the container or service), and it needs at least 512 MB. Give it more, or set memory.budget.",
    );
  });

  it("serves one worker at the least, and further ones with 768 MB each", () => {
    const workers = (bytes: number) =>
      configuredWorkers(new Config(), { bytes }, { processors: 4 });
    expect([minMemory, giga, 2 * giga, 3 * giga, 64 * giga].map(workers)).toEqual([1, 1, 2, 4, 4]);
  });
});

describe("the division", () => {
  const total = fc.integer({ min: minMemory, max: 2 ** 38 });
  const workers = fc.integer({ min: 1, max: 64 });

  it("fits the minimum memory with default settings", () => {
    const budget = configuredBudget(
      new Config(),
      { bytes: minMemory },
      { processors: 1, workers: 1 },
    );
    expect(budget.taken).toBeLessThanOrEqual(minMemory);
  });

  it("never exceeds the budget, whatever its size, the workers and the caches", () => {
    const kinds = fc.constantFrom("", "HeapCache", "FilesystemCache");
    fc.assert(
      fc.property(total, workers, kinds, (bytes, count, kind) => {
        const config = new Config({
          "cache.server.derivative.enabled": kind !== "",
          "cache.server.derivative": kind,
        });
        fc.pre(bytes / count >= minMemory);
        const budget = configuredBudget(config, { bytes }, { processors: count, workers: count });
        expect(sumOf(budget)).toBe(budget.taken);
        expect(budget.taken).toBeLessThanOrEqual(bytes);
      }),
    );
  });

  it("keeps configured shares, takes them off the others, and reports where they do not fit", () => {
    const set = fc.record(
      {
        "processor.memory_budget": fc.integer({ min: 64 * mega, max: 8 * giga }),
        "HeapCache.target_size": fc.integer({ min: 1, max: 8 * giga }),
        "cache.server.structure.target_size": fc.integer({ min: mega, max: giga }),
        "cache.server.tiles.target_size": fc.integer({ min: 0, max: giga }),
        "cache.server.jpeg2000.blocks.target_size": fc.integer({ min: 0, max: giga }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(total, workers, set, (bytes, count, values) => {
        const config = new Config({
          "cache.server.derivative.enabled": true,
          "cache.server.derivative": "HeapCache",
          "http.workers": count,
          "memory.budget": bytes,
          ...values,
        });
        const here = { processors: 2, memory: 2 ** 40, isLimited: false };
        const budget = configuredBudget(config, { bytes }, { processors: 2, workers: count });
        const fits = sumOf(budget) <= bytes;
        const warnings = budgetWarnings(config, here, count);
        expect(warnings.length).toBe(fits ? 0 : 1);
        if (!fits) for (const key of Object.keys(values)) expect(warnings[0]).toContain(key);
      }),
    );
  });

  it("gives configured shares their value, and all others theirs", () => {
    const config = new Config({ "processor.memory_budget": giga });
    const { shares } = shareMemory(config, { bytes: 4 * giga }, { processors: 2, workers: 2 });
    const settings = config.view({ ...drawingKeys, ...tileKeys })();
    expect(settings["processor.memory_budget"]).toBe(giga);
    expect(settings["cache.server.tiles.target_size"]).toBe(shares.tiles);
  });

  it("warns where memory.budget is more than there is", () => {
    const config = new Config({ "memory.budget": 2 * giga });
    expect(budgetWarnings(config, container, 1)).toEqual([
      "memory.budget is 2147 MB, but there are only 1073 MB: the system may kill processes for lack of memory.",
    ]);
  });

  it("grows with the memory there is", () => {
    fc.assert(
      fc.property(total, total, (one, other) => {
        const drawing = (bytes: number) =>
          configuredBudget(new Config(), { bytes }, { processors: 4, workers: 1 }).shares.drawing;
        expect(
          Math.sign(drawing(one) - drawing(other)) * Math.sign(one - other),
        ).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
