import { describe, expect, it } from "vitest";
import { fakeImages } from "../../test/fake-images.ts";
import { fakeStore } from "../../test/fake-store.ts";
import { memoryReader } from "../../test/readers.ts";
import type { Cache } from "../caches/cache.ts";
import { prefixesOf } from "../caches/names.ts";
import { sealed } from "../caches/sealed.ts";
import { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import { type LogFields, silent } from "../core/log.ts";
import type { Source, Traffic } from "../core/source.ts";
import type { Images } from "../service/images.ts";
import type { PagePyramids } from "../service/page-pyramids.ts";
import type { PyramidsListed } from "../service/pyramids.ts";
import { lookUp } from "./look-up.ts";
import type { CacheStatus, OriginStatus, WorkerStatus } from "./status.ts";
import { cachesOf, sourcesOf } from "./summing.ts";
import { warningsOf } from "./warnings.ts";

const hub = {
  inMemory: async () => ({ entries: 2, bytes: 9 }),
  traffic: async (): Promise<Traffic | undefined> => undefined,
  pyramids: async (): Promise<PyramidsListed> => ({ records: [] }),
};
const source: Pick<Source, "find"> = {
  find: async () => fail("missing", "It is gone by now."),
};
const parts = { images: fakeImages(), kind: "FilesystemSource", source, hub, log: silent };
const never = new AbortController().signal;

/** Images that can be read unless their name says otherwise. */
const images: Images = {
  ...parts.images,
  async know(context, caching) {
    const known = await parts.images.know(context, caching);
    const open = async () => memoryReader(new Uint8Array(64));
    return { ...known, object: { ...known.object, open } };
  },
};

/** A look-up whose store counts in its own way, and the log entries meanwhile. */
const withStore = (stats: Cache["stats"], { caller = never, maxMs = 20_000 } = {}) => {
  const said: (LogFields | undefined)[] = [];
  const looking = lookUp(
    {
      ...parts,
      images,
      store: { cache: { stats }, kind: "RedisCache", maxMs },
      log: { ...silent, warn: (_, fields) => said.push(fields) },
    },
    "a.tif",
    caller,
  );
  return { looking, said };
};

describe("looking an image up", () => {
  it("fails as serving it would", async () => {
    await expect(lookUp(parts, "missing", never)).rejects.toMatchObject({ failure: "missing" });
    await expect(lookUp(parts, "denied", never)).rejects.toMatchObject({ failure: "denied" });
  });

  it("counts its entries in memory, and its derivatives in the cache behind that", async () => {
    const context = { ttlMs: 0, bounds: { bytes: 0, entries: 0 }, log: silent };
    const store = fakeStore(() => new Date());
    const cache = sealed(store, context);
    const [pictures = "", info = ""] = prefixesOf("a.tif");
    const [others = ""] = prefixesOf("b.tif");
    for (const name of [`${pictures}1`, `${pictures}2`, info, `${others}1`])
      await cache.put(name, new Uint8Array(1_000));
    const { looking, said } = withStore(cache.stats);
    const found = await looking;
    expect(found).toMatchObject({
      identifier: "a.tif",
      inMemory: { entries: 2, bytes: 9 },
      kept: { entries: 2, kind: "RedisCache" },
    });
    expect(found.kept?.bytes).toBeGreaterThanOrEqual(2_000);
    expect(found.kept?.bytes).toBeLessThan(3_000);
    expect(said).toEqual([]);
  });

  it("says what is known of its pyramids, including those that other processes make", async () => {
    const pagePyramids: PagePyramids = async () => [
      { page: 1, state: { kind: "ready", bytes: 5 }, gain: 9 },
      { page: 2, state: { kind: "absent", share: 0.5 }, gain: 8 },
      { page: 3, state: { kind: "absent", share: 0 }, gain: 7 },
    ];
    const pyramids = async (): Promise<PyramidsListed> => ({
      records: [
        { identifier: "a.tif", page: 3, state: "making", progress: 0.5 },
        { identifier: "b.tif", page: 2, state: "waiting" },
      ],
    });
    const found = await lookUp(
      { ...parts, images, pagePyramids, hub: { ...hub, pyramids } },
      "a.tif",
      never,
    );
    expect(found.pyramids?.map(({ state }) => state.kind)).toEqual(["ready", "absent", "pending"]);
    expect((await lookUp({ ...parts, images }, "a.tif", never)).pyramids).toBeUndefined();
  });

  it("reports its location, without credentials, and what was read for it", async () => {
    const place = "https://name:word@a.example/a.tif?sig=abc";
    const found = await lookUp(
      {
        ...parts,
        images,
        source: {
          find: async () => ({
            ...{ version: "1", size: 64, place, kind: "HttpSource" },
            open: async () => memoryReader(new Uint8Array(64)),
          }),
        },
        hub: { ...hub, traffic: async () => ({ requests: 3, bytes: 70_000 }) },
      },
      "a.tif",
      never,
    );
    expect(found).toMatchObject({
      source: "HttpSource",
      traffic: { requests: 3, bytes: 70_000 },
    });
    expect(found.place).toMatch(/^https:\/\/name:\(masked\)@a\.example\/a\.tif/);
    expect(found.place).not.toMatch(/word|abc/);
  });

  it("reports neither location nor requests where they are unknown", async () => {
    const found = await lookUp({ ...parts, images }, "a.tif", never);
    expect(found.source).toBe("FilesystemSource");
    expect(found).not.toHaveProperty("place");
    expect(found).not.toHaveProperty("traffic");
  });

  it("reports nothing of a cache behind the memory where there is none", async () => {
    expect(await lookUp({ ...parts, images }, "a.tif", never)).not.toHaveProperty("kept");
  });

  it.each<[string, Cache["stats"]]>([
    ["fails", () => Promise.reject(new Error("away"))],
    ["throws", () => fail("upstream", "away")],
    ["never answers, whatever it is told", () => new Promise(() => {})],
  ])("answers without a store that %s, and logs that", async (_, stats) => {
    const { looking, said } = withStore(stats, { maxMs: 50 });
    const found = await looking;
    expect(found).toMatchObject({ identifier: "a.tif", inMemory: { entries: 2 } });
    expect(found).not.toHaveProperty("kept");
    expect(said).toEqual([{ cache: "RedisCache", identifier: "a.tif", error: expect.any(Error) }]);
  });

  it("stops waiting for a store, without blaming it, when its caller leaves", async () => {
    const leaving = new AbortController();
    const asked: AbortSignal[] = [];
    const { looking, said } = withStore(
      async (signal = never) => {
        asked.push(signal);
        leaving.abort(new Error("left"));
        return new Promise(() => {});
      },
      { caller: leaving.signal },
    );
    // The outcome of reading the file does not matter here.
    await Promise.allSettled([looking]);
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
    expect(said).toEqual([]);
  });
});

describe("facts reported by workers", () => {
  const worker = (caches: readonly CacheStatus[], served: readonly string[]) =>
    ({
      caches,
      sources: [{ kind: "S", served, origins: [] }],
    }) as Partial<WorkerStatus> as WorkerStatus;

  it("are added up, but shared ones are included once", () => {
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

  it("count the pyramids in the folder once, and those that any of them makes", () => {
    const layer = { layer: "pyramids", maxBytes: 9_000, hits: 5, misses: 1 } as const;
    const folder = { entries: 7, bytes: 700, refused: 2 };
    expect(
      cachesOf([
        worker([{ ...layer, ...folder, waiting: 3, making: 1 }], []),
        worker([{ ...layer, ...folder, waiting: 1, making: 0 }], []),
        worker([{ ...layer, waiting: 0, making: 1 }], []),
      ]),
    ).toEqual([{ ...layer, ...folder, hits: 15, misses: 3, waiting: 4, making: 2 }]);
  });

  it("list for each source every format that any of them read from it", () => {
    expect(sourcesOf([worker([], ["tif", "jpg"]), worker([], ["jpg", "png"])])).toEqual([
      { kind: "S", served: ["jpg", "png", "tif"], origins: [] },
    ]);
  });

  it("are added up by server, with the average of all requests and the worst state", () => {
    const origin = (breaker: OriginStatus["breaker"], requests: number, averageMs: number) => ({
      ...{ origin: "https://a.example", breaker, requests, averageMs },
      ...{ running: 1, waiting: 2, failures: 3, bytes: 10 },
    });
    const of = (...origins: OriginStatus[]) => ({
      sources: [{ kind: "HttpSource", served: [], origins }],
    });
    const other = { ...origin("closed", 0, 0), origin: "https://b.example" };
    expect(sourcesOf([of(origin("closed", 30, 10)), of(origin("open", 10, 50), other)])).toEqual([
      {
        kind: "HttpSource",
        served: [],
        origins: [
          {
            origin: "https://a.example",
            breaker: "open",
            requests: 40,
            averageMs: 20,
            running: 2,
            waiting: 4,
            failures: 6,
            bytes: 20,
          },
          other,
        ],
      },
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
