import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { pageOf, pyramid } from "../../test/pages.ts";
import { createMemory } from "../caches/memory.ts";
import { fail } from "../core/errors.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import { type RangeReader, SourceChanged } from "../core/range-reader.ts";
import { Infos, type InfosDeps } from "./infos.ts";
import { storedInfos } from "./stored-infos.ts";

const levels = pyramid({ width: 4_000, height: 3_000 }, { width: 256, height: 256 }, 4);
const [full, second = full] = levels;
const page: Page = pageOf(4_000, 3_000, { levels });
const whole: ImageInfo = { format: "tif", pages: [page, page] };
const outline: ImageInfo = {
  format: "tif",
  pages: [{ ...page, levels: [full, second] }],
  isOutline: true,
};

/** Infos of images that have outlines; counts lookups. */
const house = (changes: Partial<InfosDeps> = {}, { isFar = true } = {}) => {
  const state = { version: "1", now: 1_000, found: 0, outlines: 0, infos: 0, replacements: 0 };
  const reader = (): RangeReader => ({
    size: 4,
    ...(isFar ? { isFar } : {}),
    read: async () => {
      if (state.replacements > 0) {
        state.replacements--;
        state.version += "+";
        throw new SourceChanged();
      }
      return new Uint8Array(4);
    },
    stream: () => Readable.from([]),
    close: async () => {},
  });
  const infos = new Infos({
    source: () => ({
      find: async () => {
        state.found++;
        return { version: state.version, size: 4, open: async () => reader() };
      },
    }),
    sniff: async () => "tif",
    codec: async () => ({
      decoder: {
        info: async (from) => {
          await from.read(0, 4);
          state.infos++;
          return whole;
        },
        outline: async (from) => {
          await from.read(0, 4);
          state.outlines++;
          return outline;
        },
        read: () => fail("internal", "Nothing is read in this test."),
      },
    }),
    remember: () => true,
    trustMs: () => 2_000,
    now: () => state.now,
    ...changes,
  });
  const context = { requestId: "test", identifier: "a", signal: new AbortController().signal };
  const get = async (
    extent?: "whole" | "outline",
    caching: "use" | "refresh" | "bypass" = "use",
  ): Promise<ImageInfo> => (await infos.get(context, caching, extent)).info;
  return { infos, get, state, context };
};

describe("an outline", () => {
  it("is read where it suffices, and cached", async () => {
    const { get, infos, state } = house();
    expect(await get("outline")).toBe(outline);
    expect(await get("outline")).toBe(outline);
    expect(infos.cached("a", "use")?.info).toBe(outline);
    expect(state).toMatchObject({ found: 1, outlines: 1, infos: 0 });
  });

  it("is not given to callers that need all, or do not say", async () => {
    const { get, state } = house();
    await get("outline");
    expect(await get()).toBe(whole);
    // The object has just been found.
    expect(state).toMatchObject({ found: 1, outlines: 1, infos: 1 });
    expect(await get("whole")).toBe(whole);
    expect(await get("outline")).toBe(whole);
    expect(state).toMatchObject({ found: 1, outlines: 1, infos: 1 });
  });

  it("is not read again once all is known, nor after it was confirmed", async () => {
    const { get, state } = house();
    await get();
    expect(await get("outline")).toBe(whole);
    state.now += 3_000;
    expect(await get("outline")).toBe(whole);
    expect(state).toMatchObject({ found: 2, outlines: 0, infos: 1 });
  });

  it("does not replace complete info read meanwhile", async () => {
    const waiting: (() => void)[] = [];
    const learned = { outlines: 0 };
    const { get, infos } = house({
      codec: async () => ({
        decoder: {
          info: async () => whole,
          outline: () =>
            new Promise<ImageInfo>((resolve) => {
              learned.outlines++;
              waiting.push(() => resolve(outline));
            }),
          read: () => fail("internal", "Nothing is read in this test."),
        },
      }),
    });
    const first = get("outline");
    await expect.poll(() => learned.outlines).toBe(1);
    expect(await get("whole")).toBe(whole);
    for (const resolve of waiting) resolve();
    expect(await first).toBe(outline);
    expect(infos.cached("a", "use")?.info).toBe(whole);
  });

  it("is confirmed and completed after its trust period", async () => {
    const { get, state } = house();
    await get("outline");
    state.now += 3_000;
    expect(await get("outline")).toBe(outline);
    expect(state).toMatchObject({ found: 2, outlines: 1 });
    state.now += 3_000;
    expect(await get()).toBe(whole);
    expect(state).toMatchObject({ found: 3, outlines: 1, infos: 1 });
  });

  it("is completed from the new object if the old one was replaced", async () => {
    const { get, infos, state, context } = house();
    await get("outline");
    state.replacements = 1;
    expect(await get()).toBe(whole);
    expect((await infos.get(context, "use")).version).toBe("1+");
    expect(state).toMatchObject({ found: 2, outlines: 1, infos: 1 });
  });

  it("is completed once for concurrent callers", async () => {
    const { get, state } = house();
    await get("outline");
    await Promise.all(Array.from({ length: 20 }, () => get()));
    expect(state).toMatchObject({ found: 1, infos: 1 });
  });

  it("is not read of local files, nor on refresh", async () => {
    const near = house({}, { isFar: false });
    expect(await near.get("outline")).toBe(whole);
    const far = house();
    expect(await far.get("outline", "refresh")).toBe(whole);
    expect(await far.get("outline", "bypass")).toBe(whole);
    expect([near.state.outlines, far.state.outlines]).toEqual([0, 0]);
  });

  it("is not shared with other servers before it is complete", async () => {
    const kept = storedInfos(createMemory({ bytes: 1 << 20 }));
    const [one, other, third] = [house({ kept }), house({ kept }), house({ kept })];
    await one.get("outline");
    expect(await other.get("outline")).toBe(outline);
    await one.get();
    expect(await third.get("outline")).toEqual(whole);
    expect([other.state.outlines, third.state.outlines]).toEqual([1, 0]);
  });

  it("is all that remains for callers that need no more after the source lost the image", async () => {
    let isLost = false;
    const { infos, context } = house({
      outlives: () => true,
      trustMs: () => 0,
      source: () => ({
        find: async () => {
          if (isLost) return fail("missing", "It is gone.");
          return { version: "1", size: 4, open: async () => farReader() };
        },
      }),
    });
    await infos.get(context, "use", "outline");
    isLost = true;
    expect((await infos.get(context, "use", "outline")).info).toBe(outline);
    await expect(infos.get(context, "use")).rejects.toMatchObject({ failure: "missing" });
  });
});

const farReader = (): RangeReader => ({
  size: 4,
  isFar: true,
  read: async () => new Uint8Array(4),
  stream: () => Readable.from([]),
  close: async () => {},
});
