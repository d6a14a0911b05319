import { expect, it } from "vitest";
import { Config } from "../../config/store.ts";
import { connectionKeys, maxConnections } from "./connection-limit.ts";

const max = (wanted: number, workers: number, descriptors?: number): number =>
  maxConnections(new Config({ "http.max_connections": wanted }).view(connectionKeys)(), {
    workers,
    descriptors,
  });

it("divides connections among the workers", () => {
  expect([max(100, 1), max(100, 2), max(100, 3)]).toEqual([100, 50, 34]);
  expect([max(0, 1), max(0, 8)]).toEqual([2_048, 2_048]);
});

it("limits a worker to half of its file descriptors", () => {
  expect([max(0, 2, 512), max(0, 2, 1_048_576), max(100_000, 2, 1_024)]).toEqual([256, 2_048, 512]);
  expect(max(0, 1, 1)).toBe(1);
});
