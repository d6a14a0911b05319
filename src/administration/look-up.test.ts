import { describe, expect, it } from "vitest";
import { fakeImages } from "../../test/fake-images.ts";
import { Config } from "../config/store.ts";
import { lookUp } from "./look-up.ts";
import type { CacheStatus, WorkerStatus } from "./status.ts";
import { cachesOf, sourcesOf } from "./summing.ts";
import { warningsOf } from "./warnings.ts";

const hub = { inMemory: async () => ({ entries: 2, bytes: 9 }) };

describe("looking an image up", () => {
  it("fails as serving it would", async () => {
    const parts = { images: fakeImages(), source: "FilesystemSource", hub };
    const never = new AbortController().signal;
    await expect(lookUp(parts, "missing", never)).rejects.toMatchObject({ failure: "missing" });
    await expect(lookUp(parts, "denied", never)).rejects.toMatchObject({ failure: "denied" });
  });
});

describe("what workers tell", () => {
  const worker = (caches: readonly CacheStatus[], worked: readonly string[]) =>
    ({ caches, sources: [{ kind: "S", worked }] }) as Partial<WorkerStatus> as WorkerStatus;

  it("is added up, but what they share is there once", () => {
    const store = { layer: "store", kind: "RedisCache", hits: 1, misses: 2, failures: 3 } as const;
    const infos = { layer: "infos", entries: 5, bytes: 50, hits: 1, misses: 1 } as const;
    const [first, second] = cachesOf([
      worker([{ ...store, entries: 100, bytes: 1_000 }, infos], []),
      worker([store, infos], []),
    ]);
    expect(first).toEqual({
      ...store,
      entries: 100,
      bytes: 1_000,
      hits: 2,
      misses: 4,
      failures: 6,
    });
    expect(second).toEqual({ ...infos, entries: 10, bytes: 100, hits: 2, misses: 2 });
  });

  it("is of one source what any of them read from it", () => {
    expect(sourcesOf([worker([], ["tif", "jpg"]), worker([], ["jpg", "png"])])).toEqual([
      { kind: "S", worked: ["jpg", "png", "tif"] },
    ]);
  });
});

describe("warnings", () => {
  it("name missing workers and unsafe settings, and nothing where all is well", () => {
    const all = { config: new Config(), file: undefined, workers: 2, wanted: 2 };
    expect(warningsOf(all)).toEqual([]);
    expect(warningsOf({ ...all, workers: 1 })).toEqual([
      "1 of 2 workers did not answer in time or are missing.",
    ]);
    const config = new Config({ "endpoint.api.show_secrets": true });
    expect(warningsOf({ ...all, config })[0]).toContain("endpoint.api.show_secrets");
  });
});
