import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeContract } from "../../test/contract/store.ts";
import type { Database } from "../../test/servers/database.ts";
import { noEncryptedRedis, noRedis, redisPassword, startRedis } from "../../test/servers/redis.ts";
import { Config, type Snapshot } from "../config/store.ts";
import { silent } from "../core/log.ts";
import { guarded } from "./guarded.ts";
import { redis } from "./redis.ts";
import { sealed } from "./sealed.ts";
import type { Store, StoreContext } from "./store.ts";

const settingsOf = ({ port }: Database, more: Snapshot = {}): Snapshot => ({
  "RedisCache.host": "localhost",
  "RedisCache.port": port,
  "RedisCache.password": redisPassword,
  "RedisCache.database": 1,
  ...more,
});

const openOn = (settings: Snapshot, context: Partial<StoreContext> = {}): Promise<Store> =>
  redis.open(new Config(settings), {
    ttlMs: 0,
    bounds: { bytes: 0, entries: 0 },
    log: silent,
    ...context,
  });

const hash = (n: number): string => n.toString(16).padStart(32, "0");
const image = (of: number, plan: number): string => `image/${hash(of)}/${hash(plan)}`;
const signal = new AbortController().signal;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

storeContract(
  "RedisCache",
  noRedis === undefined
    ? async () => {
        const server = await startRedis();
        const client = new Redis({ port: server.port, password: redisPassword, db: 1 });
        return {
          open: (context) => openOn(settingsOf(server), context),
          damage: async (name) => {
            await client.setrange(`{vitrine}:entry:${name}`, 40, "spoilt");
          },
          remove: async () => {
            client.disconnect();
            await server.remove();
          },
        };
      }
    : { skipped: noRedis },
);

describe.skipIf(noRedis !== undefined)(`RedisCache${noRedis ? ` (${noRedis})` : ""}`, () => {
  let server: Database;
  let client: Redis;
  const opened: Store[] = [];
  const open = async (more: Snapshot = {}, context: Partial<StoreContext> = {}): Promise<Store> => {
    const store = await openOn(settingsOf(server, more), context);
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    server = await startRedis();
    client = new Redis({ port: server.port, password: redisPassword, db: 1 });
    client.on("error", () => {});
  });
  afterAll(async () => {
    client?.disconnect();
    for (const store of opened) await store.close();
    await server?.remove();
  });

  it("removes nothing that it did not write, and leaves nothing of its own", async () => {
    await client.set("theirs", "1");
    await client.set("{vitrine}:theirs", "1");
    await client.hset("edu.illinois.library.cantaloupe.image", "image/x", "1");
    const [store, other] = [await open(), await open({ "RedisCache.key_prefix": "b:" })];
    for (const n of [1, 2, 3]) await store.put(image(1, n), new Uint8Array(10), signal);
    await other.put(image(1, 1), new Uint8Array(10), signal);
    expect(await store.remove("", signal)).toBe(3);
    expect((await client.keys("*")).toSorted()).toEqual([
      "b:bytes",
      `b:entry:${image(1, 1)}`,
      `b:of:image/${hash(1)}`,
      "b:used",
      "edu.illinois.library.cantaloupe.image",
      "theirs",
      "{vitrine}:theirs",
    ]);
    expect(await other.remove("", signal)).toBe(1);
  });

  it("lets entries expire unless they are used, and stops counting them", async () => {
    const store = await open({}, { ttlMs: 1_000 });
    await store.put(image(2, 1), new Uint8Array(1_000), signal);
    await store.put(image(2, 2), new Uint8Array(500), signal);
    for (let n = 0; n < 4; n++) {
      await wait(400);
      await store.touch?.(image(2, 2), signal);
    }
    expect(await client.exists(`{vitrine}:entry:${image(2, 1)}`)).toBe(0);
    const ofImage = await store.stats(signal, `image/${hash(2)}/`);
    expect(ofImage).toEqual({ entries: 1, bytes: 500 });
    expect(await store.stats(signal)).toEqual({ entries: 1, bytes: 500 });
    expect(await store.get(image(2, 1), signal)).toBeUndefined();
    expect((await store.get(image(2, 2), signal))?.bytes.length).toBe(500);
    await store.remove("", signal);
  });

  it("keeps to its bounds at every put, without a sweep", async () => {
    const store = await open({}, { bounds: { bytes: 10_000, entries: 0 } });
    for (let n = 0; n < 30; n++) await store.put(image(3, n), new Uint8Array(1_000), signal);
    expect(await store.stats(signal)).toEqual({ entries: 10, bytes: 10_000 });
    expect(await store.get(image(3, 29), signal)).toBeDefined();
    // An entry larger than the limit leaves nothing uncounted behind.
    await store.put(image(3, 30), new Uint8Array(20_000), signal);
    expect(await store.stats(signal)).toEqual({ entries: 0, bytes: 0 });
    expect(await client.keys(`{vitrine}:entry:*`)).toEqual([]);
  });

  it("stops counting what the server evicted, once it is swept", async () => {
    const store = await open();
    for (const n of [1, 2, 3]) await store.put(image(4, n), new Uint8Array(100), signal);
    await client.del(`{vitrine}:entry:${image(4, 2)}`);
    expect(await store.get(image(4, 2), signal)).toBeUndefined();
    const swept = await store.sweep({ bounds: { bytes: 0, entries: 0 } }, signal);
    expect(swept).toEqual({ entries: 1, bytes: 100 });
    expect(await store.stats(signal)).toEqual({ entries: 2, bytes: 200 });
    // Without the list of its image an entry could not be removed: it counts as absent.
    await client.del(`{vitrine}:of:image/${hash(4)}`);
    expect(await store.get(image(4, 1), signal)).toBeUndefined();
    await store.put(image(4, 1), new Uint8Array(300), signal);
    expect(await store.stats(signal)).toEqual({ entries: 2, bytes: 400 });
    expect(await store.remove("", signal)).toBe(2);
    expect(await client.keys("{vitrine}:{used,bytes,of:*,entry:*}")).toEqual([]);
  });

  it("misses while the server is down, and recovers", async () => {
    const context = { ttlMs: 0, bounds: { bytes: 0, entries: 0 }, log: silent };
    const store = await open();
    const patience = { readMs: 2_000, writeMs: 2_000, restMs: 50, maxRestMs: 100 };
    const cache = guarded(sealed(store, context), patience, { log: silent });
    await cache.put(image(5, 1), new Uint8Array([1, 2, 3]));
    expect((await cache.get(image(5, 1)))?.body).toEqual(new Uint8Array([1, 2, 3]));

    await server.kill();
    await expect(store.get(image(5, 1), signal)).rejects.toThrow();
    expect(await cache.get(image(5, 1))).toBeUndefined();
    await cache.put(image(5, 2), new Uint8Array([1]));
    expect(cache.tally.failures).toBeGreaterThan(0);

    await server.restart();
    const last = performance.now() + 20_000;
    const isBack = async (): Promise<boolean> => {
      await cache.put(image(5, 3), new Uint8Array([4]));
      return (await cache.get(image(5, 3))) !== undefined;
    };
    while (!(await isBack()) && performance.now() < last) await wait(100);
    expect((await cache.get(image(5, 3)))?.body).toEqual(new Uint8Array([4]));
    expect((await store.stats(signal)).entries).toBe(1);
  });

  it("opens while there is no server yet, and fails calls at once", async () => {
    const store = await open({ "RedisCache.port": 1, "RedisCache.connection_timeout": 0.5 });
    await expect(store.get(image(6, 1), signal)).rejects.toThrow();
    await expect(store.put(image(6, 1), new Uint8Array(1), signal)).rejects.toThrow();
  });

  it("rejects an empty prefix, and missing certificates", async () => {
    await expect(open({ "RedisCache.key_prefix": "" })).rejects.toThrow("RedisCache.key_prefix");
    await expect(
      open({ "RedisCache.ssl": true, "RedisCache.ssl_ca": "/not/there.pem" }),
    ).rejects.toThrow("RedisCache.ssl_ca");
  });
});

describe.skipIf(noEncryptedRedis !== undefined)(
  `RedisCache over TLS${noEncryptedRedis ? ` (${noEncryptedRedis})` : ""}`,
  () => {
    it("keeps entries where the certificate is vouched for, and nothing where it is not", async () => {
      const server = await startRedis({ encrypted: true });
      const encrypted = settingsOf(server, { "RedisCache.ssl": true });
      const ca = join(server.folder, "ca.pem");
      const trusting = await openOn({ ...encrypted, "RedisCache.ssl_ca": ca });
      const doubting = await openOn(encrypted);
      try {
        await trusting.put(image(1, 1), new Uint8Array([7, 8]), signal);
        expect((await trusting.get(image(1, 1), signal))?.bytes).toEqual(Buffer.from([7, 8]));
        await expect(doubting.get(image(1, 1), signal)).rejects.toThrow();
      } finally {
        await trusting.close();
        await doubting.close();
        await server.remove();
      }
    });
  },
);
