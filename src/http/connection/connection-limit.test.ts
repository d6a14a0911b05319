import { expect, it } from "vitest";
import { Config } from "../../config/store.ts";
import { connectionKeys, mostConnections } from "./connection-limit.ts";

const most = (wanted: number, workers: number, descriptors?: number): number =>
  mostConnections(new Config({ "http.max_connections": wanted }).view(connectionKeys)(), {
    workers,
    descriptors,
  });

it("connections are divided among the workers", () => {
  expect([most(100, 1), most(100, 2), most(100, 3)]).toEqual([100, 50, 34]);
  expect([most(0, 1), most(0, 8)]).toEqual([2_048, 2_048]);
});

it("a worker has no more connections than half of its descriptors", () => {
  expect([most(0, 2, 512), most(0, 2, 1_048_576), most(100_000, 2, 1_024)]).toEqual([
    256, 2_048, 512,
  ]);
  expect(most(0, 1, 1)).toBe(1);
});
