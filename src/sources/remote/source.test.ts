import { describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../../test/contract/source.ts";
import { type MemoryStore, memoryStore, remoteSettings } from "../../../test/memory-store.ts";
import { SourceChanged } from "../../core/range-reader.ts";
import type { Source, SourceObject } from "../../core/source.ts";
import { createRemote } from "./remote.ts";
import { remoteSource } from "./source.ts";

const patterned = (length: number, seed = 7): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * seed + (index >> 8) * 31) % 251);

const bytes = patterned(1_000_003);
const fewer = patterned(100_003);
const name = "maps/a.tif";

interface Made {
  readonly store: MemoryStore;
  readonly source: Source;
  readonly find: () => Promise<SourceObject>;
}

const make = (values = {}): Made => {
  const store = memoryStore();
  store.objects.set(name, { bytes, etag: '"one"' });
  const source = remoteSource(
    store,
    createRemote(() => ({ ...remoteSettings, ...values })),
  );
  return { store, source, find: () => source.find(name, contextOf(name)) };
};

sourceContract("A store that answers ranges", async () => {
  const { store, source } = make();
  store.objects.set(name, { bytes: fewer, etag: '"one"' });
  return { source, stored: { identifier: name, bytes: fewer } };
});

describe("a remote object", () => {
  it("is located and sniffed with one request, and confirmed with a single byte", async () => {
    const { store, find } = make();
    const reader = await (await find()).open();
    expect(Buffer.from(await reader.read(0, 60_000))).toEqual(
      Buffer.from(bytes.subarray(0, 60_000)),
    );
    expect(store.sent).toHaveLength(1);
    await find();
    expect(store.sent.at(-1)?.range).toEqual({ offset: 0, length: 1 });
  });

  it("is read in few requests: adjacent ranges together, and nothing twice", async () => {
    const { store, find } = make();
    const reader = await (await find()).open();
    const parts = [
      { offset: 500_000, length: 40_000 },
      { offset: 540_000, length: 30_000 },
      { offset: 900_000, length: 10 },
    ];
    const read = await reader.readMany?.(parts, new AbortController().signal);
    expect(read?.map((part) => Buffer.from(part))).toEqual(
      parts.map(({ offset, length }) => Buffer.from(bytes.subarray(offset, offset + length))),
    );
    expect(store.sent).toHaveLength(3);
    await reader.read(510_000, 50_000);
    expect(store.sent).toHaveLength(3);
  });

  it("is read without requests if prefetched, and with them if nothing is cached", async () => {
    const { store, find } = make();
    const reader = await (await find()).open();
    await reader.prefetch?.([{ offset: 500_000, length: 200_000 }], new AbortController().signal);
    expect(store.sent).toHaveLength(2);
    for (const offset of [500_000, 640_000, 699_990])
      expect(Buffer.from(await reader.read(offset, 10))).toEqual(
        Buffer.from(bytes.subarray(offset, offset + 10)),
      );
    expect(store.sent).toHaveLength(2);
    const forgetful = make({ "source.cache.blocks.target_size": 0 });
    expect((await (await forgetful.find()).open()).prefetch).toBeUndefined();
  });

  it("is rejected if its size is unknown and it exceeds the limit", async () => {
    const store = memoryStore({ ranges: false });
    store.objects.set(name, { bytes });
    const sourceOf = (maxMeasuredBytes: number): Source =>
      remoteSource(
        store,
        createRemote(() => remoteSettings),
        { maxMeasuredBytes },
      );
    const refused = sourceOf(bytes.length - 1).find(name, contextOf(name));
    await expect(refused).rejects.toMatchObject({ failure: "upstream", retry: false });
    const found = await sourceOf(bytes.length).find(name, contextOf(name));
    expect(found.size).toBe(bytes.length);
  });

  it("costs one request for concurrent readers of the same range", async () => {
    const { store, find } = make();
    const object = await find();
    const readers = await Promise.all([object.open(), object.open(), object.open()]);
    await Promise.all(readers.map((reader) => reader.read(700_000, 20_000)));
    expect(store.sent).toHaveLength(2);
  });

  it("is not read further after it was replaced", async () => {
    const { store, find } = make();
    const object = await find();
    const reader = await object.open();
    store.objects.set(name, { bytes: patterned(1_000_003, 11), etag: '"two"' });
    await expect(reader.read(800_000, 10)).rejects.toBeInstanceOf(SourceChanged);
    expect((await find()).version).not.toBe(object.version);
  });

  it("reports its location, and the requests made for it", async () => {
    const { store, source, find } = make();
    store.objects.set("other.tif", { bytes: fewer, etag: '"other"' });
    expect(source.origins?.()).toEqual([]);
    const object = await find();
    const before = object.traffic?.();
    expect(before).toEqual({ requests: 1, bytes: 65_536 });
    await (await object.open()).read(500_000, 10);
    await source.find("other.tif", contextOf("other.tif"));
    const after = { requests: 2, bytes: 65_536 + 32_768 };
    expect(object.traffic?.()).toEqual(after);
    // The known info is still valid: it is the same object, and one byte was read to find out.
    expect((await find()).traffic?.()).toEqual({ requests: 3, bytes: after.bytes + 1 });
    expect(object.place).toBe("memory:maps/a.tif");
    expect(source.origins?.()).toMatchObject([
      { origin: "memory:", breaker: "closed", requests: 4, failures: 0 },
    ]);
  });

  it("counts a download, and only the servers that its own source contacted", async () => {
    const remote = createRemote(() => remoteSettings);
    const store = memoryStore({ ranges: false });
    store.objects.set(name, { bytes: fewer, etag: '"one"' });
    const source = remoteSource(store, remote);
    const other = remoteSource(memoryStore(), remote);
    const object = await source.find(name, contextOf(name));
    const { body } = (await object.download?.(new AbortController().signal)) ?? {};
    for await (const _ of body ?? []);
    expect(object.traffic?.()).toEqual({ requests: 2, bytes: fewer.length });
    expect(source.origins?.()).toHaveLength(1);
    expect(other.origins?.()).toEqual([]);
  });

  it("estimates its latency from requests, starting with the first one", async () => {
    const { store, source, find } = make();
    store.around = async (answer) => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return answer();
    };
    await find();
    // Timers may fire slightly early.
    expect(source.origins?.()[0]?.ms).toBeGreaterThan(30);
  });
});
