import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { fail } from "../core/errors.ts";
import type { ImageInfo } from "../core/info.ts";
import { SourceChanged } from "../core/range-reader.ts";
import { Infos, type InfosDeps } from "./infos.ts";

const size = { width: 40, height: 30 };
const page: ImageInfo["pages"][0] = {
  size,
  orientation: 1,
  levels: [{ size, tile: size }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
};

/** Infos over a source that counts, with a clock that stands still until it is moved. */
const house = (changes: Partial<InfosDeps> = {}) => {
  const state = { version: "1", now: 1_000, found: 0, learned: 0, replacements: 0 };
  const infos = new Infos({
    source: () => ({
      find: async () => {
        state.found++;
        return {
          version: state.version,
          size: 4,
          open: async () => ({
            size: 4,
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
          }),
        };
      },
    }),
    sniff: async () => "png",
    codec: async () => ({
      decoder: {
        info: async (reader) => {
          await reader.read(0, 4);
          state.learned++;
          return { format: "png", pages: [page] };
        },
        read: () => fail("internal", "Nothing is read in this test."),
      },
    }),
    remember: () => true,
    trustMs: () => 2_000,
    now: () => state.now,
    ...changes,
  });
  const get = (identifier = "a", caching: "use" | "refresh" | "bypass" = "use") =>
    infos.get({ requestId: "test", identifier, signal: new AbortController().signal }, caching);
  return { infos, get, state };
};

describe("what is known of an image", () => {
  it("is believed for a while without asking the source, and not longer", async () => {
    const { get, state } = house();
    await get();
    state.version = "2";
    state.now += 1_999;
    expect((await get()).version).toBe("1");
    expect(state.found).toBe(1);
    state.now += 1;
    expect((await get()).version).toBe("2");
    expect(state).toMatchObject({ found: 2, learned: 2 });
  });

  it("is believed anew once the source has confirmed it", async () => {
    const { get, state } = house();
    await get();
    state.now += 3_000;
    await get();
    state.now += 1_000;
    await get();
    expect(state).toMatchObject({ found: 2, learned: 1 });
  });

  it("is asked for every time where nothing is to be believed", async () => {
    const { get, state } = house({ trustMs: () => 0 });
    await get();
    state.version = "2";
    expect((await get()).version).toBe("2");
    expect(state.found).toBe(2);
  });

  it("is not believed by who asks to refresh or to bypass", async () => {
    const { get, state } = house();
    await get();
    state.version = "2";
    expect((await get("a", "refresh")).version).toBe("2");
    expect(state.found).toBe(2);
  });

  it("is let go of when it turns out to be past, unless it is newer by now", async () => {
    const { infos, get, state } = house();
    const known = await get();
    infos.forget("a", known);
    await get();
    expect(state.found).toBe(2);
    infos.forget("a", { version: "another" });
    await get();
    expect(state.found).toBe(2);
  });

  it("is learned of the new file where it was replaced while it was looked at, but not for ever", async () => {
    const { get, state } = house();
    state.replacements = 1;
    expect((await get()).version).toBe("1+");
    const other = house();
    other.state.replacements = 2;
    await expect(other.get()).rejects.toThrow(SourceChanged);
  });

  it("takes no more memory than it may, however many images are asked for", async () => {
    const { get, state } = house({ mostBytes: 20_000 });
    for (let n = 0; n < 100; n++) await get(`image ${n}`);
    const { learned } = state;
    await get("image 99");
    expect(state.learned).toBe(learned);
    await get("image 0");
    expect(state.learned).toBe(learned + 1);
  });
});
