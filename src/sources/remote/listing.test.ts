import { describe, expect, it } from "vitest";
import { memoryStore, remoteSettings } from "../../../test/memory-store.ts";
import type { KeyPage, KeyPageOptions } from "../../clients/key-page.ts";
import type { Listing, Source } from "../../core/source.ts";
import type { RemoteSettings } from "./keys.ts";
import { createRemote } from "./remote.ts";
import { remoteSource } from "./source.ts";

const { signal } = new AbortController();

/** A source whose store answers with these pages, one after the other. */
const sourceOf = (
  page: (options: KeyPageOptions) => Promise<KeyPage>,
  values: Partial<RemoteSettings> = {},
): Source =>
  remoteSource(
    {
      ...memoryStore(),
      keys: async () => ({ place: "memory:", origin: "memory:", prefix: "", suffix: "", page }),
    },
    createRemote(() => ({ ...remoteSettings, ...values })),
  );

const shown = (listing: Listing | undefined): readonly string[] | undefined =>
  listing?.entries.map((entry) => (entry.kind === "folder" ? `${entry.path}/` : entry.identifier));

describe("the listing of a store", () => {
  it("skips keys without an identifier: hidden, nameless, and with '..'", async () => {
    const source = sourceOf(async () => ({
      prefixes: ["in/a/", "in//", "in/../", "in/.git/", "in/b\\..\\c/"],
      keys: ["in/", "in/.hidden", "in/..", "in/b.tif", `in/${"x".repeat(1_100)}`].map((key) => ({
        key,
      })),
    }));
    expect(shown(await source.list?.("in", { max: 10, signal }))).toEqual(["in/a/", "in/b.tif"]);
  });

  it("reads further if a page has no entries, but not for ever", async () => {
    const asked: unknown[] = [];
    const source = sourceOf(async ({ after }) => {
      asked.push(after);
      return { prefixes: [], keys: [{ key: ".hidden" }], next: `${asked.length}` };
    });
    const part = await source.list?.("", { max: 10, signal });
    expect(part).toEqual({ entries: [], next: "21" });
    expect(asked).toEqual([undefined, ...Array.from({ length: 20 }, (_, at) => `${at + 1}`)]);
  });

  it("retries a failing store, and gives up at the deadline", async () => {
    let calls = 0;
    const failing = sourceOf(async () => {
      if (++calls < 3) throw new Error("reset");
      return { prefixes: [], keys: [{ key: "a.tif", size: 3 }] };
    });
    expect(shown(await failing.list?.("", { max: 10, signal }))).toEqual(["a.tif"]);
    const silent = sourceOf(() => new Promise(() => {}), {
      "source.response_timeout": 0.01,
      "source.request_timeout": 0.05,
    });
    await expect(silent.list?.("", { max: 10, signal })).rejects.toMatchObject({ failure: "late" });
  });

  it("ends with the caller's abort reason", async () => {
    const controller = new AbortController();
    const source = sourceOf(async () => {
      controller.abort(new Error("left"));
      return new Promise(() => {});
    });
    await expect(source.list?.("", { max: 10, signal: controller.signal })).rejects.toThrow("left");
    expect(source.origins?.()).toMatchObject([{ running: 0, failures: 0 }]);
  });

  it.each(["", "\u0001", "\ud800", "x".repeat(5_000)])(
    "refuses %j as the cursor of the previous part",
    async (after) => {
      const source = sourceOf(async () => ({ prefixes: [], keys: [] }));
      await expect(source.list?.("", { after, max: 10, signal })).rejects.toMatchObject({
        failure: "malformed",
      });
    },
  );
});
