import { beforeEach, describe, expect, it } from "vitest";
import type { Cache } from "../caches/cache.ts";
import { createMemory } from "../caches/memory.ts";
import { derivativeName, infoName } from "../caches/names.ts";
import type { PurgeScope } from "../caches/purge-record.ts";
import { imageHash } from "../core/plan.ts";
import { createPurging, type Purging } from "./purging.ts";

const picture = (identifier: string, n: number): string =>
  derivativeName(`${imageHash(identifier)}/${n.toString(16).padStart(32, "0")}`);

let cache: Cache;
let forgotten: (string | undefined)[];
let purging: Purging;
const left = async (): Promise<number> => (await cache.stats()).entries;

beforeEach(async () => {
  cache = createMemory({ bytes: 1 << 20 });
  forgotten = [];
  purging = createPurging({
    cache,
    infos: { forgetAll: (identifier) => void forgotten.push(identifier) },
  });
  for (const identifier of ["a", "ab"]) {
    await cache.put(infoName(identifier), Uint8Array.from([1]));
    for (const n of [1, 2, 3]) await cache.put(picture(identifier, n), Uint8Array.from([n]));
  }
});

describe("purging", () => {
  it("an image removes its derivatives and info, and no other's", async () => {
    expect(await purging.image("a")).toBe(4);
    expect(await left()).toBe(4);
    expect(await cache.get(picture("ab", 1))).toBeDefined();
    expect(forgotten).toEqual(["a"]);
  });

  it("infos leaves the derivatives", async () => {
    expect(await purging.infos()).toBe(2);
    expect(await left()).toBe(6);
    expect(forgotten).toEqual([undefined]);
  });

  it("everything leaves nothing", async () => {
    expect(await purging.all()).toBe(8);
    expect(await left()).toBe(0);
  });

  it("an image, or everything, also removes copies of files", async () => {
    const removed: (string | undefined)[] = [];
    const copies = { remove: async (identifier?: string) => removed.push(identifier) };
    const both = createPurging({ cache, copies, infos: { forgetAll: () => {} } });
    expect(await both.image("a")).toBe(5);
    await both.all();
    expect(removed).toEqual(["a", undefined]);
  });

  it("notifies servers that share the cache, where there was something", async () => {
    const told: PurgeScope[] = [];
    const tell = async (scopes: readonly PurgeScope[]) => void told.push(...scopes);
    const shared = { purges: { tell }, forget: async () => {} };
    const telling = createPurging({ cache, shared, infos: { forgetAll: () => {} } });
    await telling.image("never was");
    await telling.image("a");
    await telling.infos();
    await telling.all();
    await telling.all();
    expect(told).toEqual([{ image: "a" }, "infos", "all"]);
  });

  it("notifies servers that share the cache, even if only a copy of a file existed", async () => {
    const told: PurgeScope[] = [];
    const tell = async (scopes: readonly PurgeScope[]) => void told.push(...scopes);
    const telling = createPurging({
      cache,
      shared: { purges: { tell }, forget: async () => {} },
      copies: { remove: async (identifier) => (identifier === "copied" ? 1 : 0) },
    });
    expect(await telling.image("never was")).toBe(0);
    expect(await telling.image("copied")).toBe(1);
    expect(told).toEqual([{ image: "copied" }]);
  });

  it("by another server clears this process and machine, not what is shared", async () => {
    const gone: unknown[] = [];
    const shared = {
      purges: { tell: async () => {} },
      forget: async (prefixes: readonly string[]) => void gone.push(...prefixes),
    };
    const copies = { remove: async (identifier?: string) => gone.push(["copy", identifier]) };
    const following = createPurging({
      cache,
      shared,
      copies,
      infos: { forgetAll: (identifier) => void gone.push(["info", identifier]) },
    });
    await following.follow([{ image: "a" }, { image: "a" }]);
    expect(gone).toEqual([
      ["info", "a"],
      ["info", "a"],
      `image/${imageHash("a")}/`,
      infoName("a"),
      ["copy", "a"],
      ["copy", "a"],
    ]);
    gone.length = 0;
    await following.follow(["images"]);
    expect(gone).toEqual(["image/"]);
    gone.length = 0;
    await following.follow(["all"]);
    expect(gone).toEqual([["info", undefined], "image/", "info/", ["copy", undefined]]);
    gone.length = 0;
    await following.follow(["memory"]);
    expect(gone).toEqual([["info", undefined], "image/", "info/"]);
    expect(await left()).toBe(8);
  });

  it("many images by another server clears all memory at once", async () => {
    const forgotten: string[] = [];
    const forget = async (prefixes: readonly string[]) => void forgotten.push(...prefixes);
    const shared = { purges: { tell: async () => {} }, forget };
    const following = createPurging({ cache, shared });
    await following.follow(Array.from({ length: 300 }, (_, n) => ({ image: `${n}` })));
    expect(forgotten).toEqual(["image/", "info/"]);
  });

  it("works without a cache", async () => {
    const bare = createPurging({ cache: undefined, infos: { forgetAll: () => {} } });
    expect(await bare.image("a")).toBe(0);
    expect(await bare.invalid()).toEqual({ entries: 0, bytes: 0 });
  });
});
