import { describe, expect, it } from "vitest";
import { contextOf } from "../../test/contract/source.ts";
import { memoryStore, remoteSettings } from "../../test/memory-store.ts";
import { createRemote } from "../sources/remote/remote.ts";
import { remoteSource } from "../sources/remote/source.ts";
import { requestRecorder } from "./request-recorder.ts";

const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
const never = new AbortController().signal;

/** A source in memory with an observer. */
const watched = () => {
  const store = memoryStore();
  store.objects.set("a.tif", { bytes, etag: '"one"' });
  const seen = requestRecorder();
  const source = seen.source(
    remoteSource(
      store,
      createRemote(() => remoteSettings),
    ),
  );
  return { store, seen, find: () => source.find("a.tif", contextOf("a.tif")) };
};

describe("an observer", () => {
  it("counts the requests of each run, and the bytes read", async () => {
    const { seen, find } = watched();
    const object = await find();
    await (await object.open()).read(0, 100);
    expect(seen.last().reading).toEqual({
      ...{ times: 1, bytes: 100, opened: false },
      requested: { requests: 1, bytes: 65_536 },
    });
    seen.reset();
    expect(seen.last().reading.requested).toEqual({ requests: 0, bytes: 0 });
    await (await object.open()).read(200_000, 100);
    expect(seen.last().reading).toMatchObject({
      bytes: 100,
      requested: { requests: 1, bytes: 32_768 },
    });
  });

  it("does not change how an image is read", async () => {
    const { store, seen, find } = watched();
    const object = await find();
    expect(object).toMatchObject({ byRanges: true, place: "memory:a.tif" });
    expect(object.download).toBeDefined();
    const reader = await object.open();
    const sent = store.sent.length;
    const ranges = [
      { offset: 100_000, length: 10 },
      { offset: 130_000, length: 10 },
    ];
    const parts = await reader.readMany?.(ranges, never);
    expect(parts?.map(({ length }) => length)).toEqual([10, 10]);
    // One request: they are adjacent.
    expect(store.sent.length - sent).toBe(1);
    expect(seen.last().reading).toMatchObject({ times: 2, bytes: 20 });
  });

  it("counts the requests of all sources, each server once", async () => {
    const remote = createRemote(() => remoteSettings);
    const store = memoryStore();
    store.objects.set("a.tif", { bytes, etag: '"one"' });
    const [one, other] = [remoteSource(store, remote), remoteSource(store, remote)];
    const seen = requestRecorder();
    const parts = [one, other].map((source, at) => ({ name: `${at}`, kind: "S3Source", source }));
    seen.source({ parts, find: one.find });
    await one.find("a.tif", contextOf("a.tif"));
    await other.find("a.tif", contextOf("a.tif"));
    expect(seen.last().reading.requested?.requests).toBe(2);
  });
});
