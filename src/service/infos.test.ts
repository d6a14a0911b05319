import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { createMemory } from "../caches/memory.ts";
import { infoName } from "../caches/names.ts";
import { fail } from "../core/errors.ts";
import { type ImageInfo, pageOf } from "../core/info.ts";
import { SourceChanged } from "../core/range-reader.ts";
import type { SourceObject } from "../core/source.ts";
import { Infos, type InfosDeps } from "./infos.ts";
import { type KeptInfos, storedInfos } from "./stored-infos.ts";

const size = { width: 40, height: 30 };
const page: ImageInfo["pages"][0] = {
  size,
  orientation: 1,
  levels: [{ size, tile: size }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
};

const emptyReader = {
  size: 4,
  read: async () => new Uint8Array(4),
  stream: () => Readable.from([]),
  close: async () => {},
};

/** Infos over a counting source, with a clock that the test moves. */
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

describe("cached info", () => {
  it("remembers seconds of a video that do not exist, for that version only", async () => {
    const decoder = {
      info: async () => ({ format: "mpg", pages: [page], seconds: "unknown" }) as const,
      read: () => fail("internal", "Nothing is read in this test."),
    };
    const { infos, get, state } = house({ codec: async () => ({ decoder }) });
    const known = await get();
    infos.learnEnd("a", known, 9);
    infos.learnEnd("a", known, 12);
    infos.learnEnd("b", known, 3);
    infos.learnEnd("a", { version: "0" }, 3);
    const { info } = await get();
    expect(info.endsBy).toBe(9);
    expect(pageOf(info, 8)).toBe(info.pages[0]);
    expect(pageOf(info, 9)).toBeUndefined();
    state.version = "2";
    state.now += 9_999;
    expect((await get()).info.endsBy).toBeUndefined();
  });

  it("is trusted for a while without contacting the source, and no longer", async () => {
    const { get, state } = house();
    await get();
    state.version = "2";
    state.now += 1_499;
    expect((await get()).version).toBe("1");
    expect(state.found).toBe(1);
    state.now += 501;
    expect((await get()).version).toBe("2");
    expect(state).toMatchObject({ found: 2, learned: 2 });
  });

  it("is refreshed shortly before that if requested, so that nobody waits", async () => {
    const { get, infos, state } = house();
    await get();
    state.now += 1_499;
    await get();
    expect(state.found).toBe(1);
    state.now += 1;
    state.version = "2";
    expect([infos.cached("a", "use")?.version, (await get()).version]).toEqual(["1", "1"]);
    await vi.waitFor(() => expect(infos.cached("a", "use")?.version).toBe("2"));
    expect(state).toMatchObject({ found: 2, learned: 2 });
    state.now += 1_999;
    expect(infos.cached("a", "use")?.version).toBe("2");
  });

  it("is requested again, and its failure reported, if an early refresh failed", async () => {
    let isGone = false;
    const { get, infos, state } = house({ sniff: async () => (isGone ? undefined : "png") });
    await get();
    isGone = true;
    state.version = "2";
    state.now += 1_999;
    expect((await get()).version).toBe("1");
    await vi.waitFor(() => expect(state.found).toBe(2));
    state.now += 1;
    expect(infos.cached("a", "use")).toBeUndefined();
    await expect(get()).rejects.toMatchObject({ failure: "unreadable" });
  });

  it("is not stored by a lookup during which it is purged", async () => {
    const { get, infos, state } = house();
    await get();
    state.now += 1_999;
    // Checks the image ahead of time.
    infos.cached("a", "use");
    infos.forgetAll();
    await vi.waitFor(() => expect(state.found).toBe(2));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([infos.cached("a", "use"), infos.held.entries]).toEqual([undefined, 0]);
    await get();
    expect([infos.cached("a", "use")?.version, infos.held.entries]).toEqual(["1", 1]);
  });

  it("is not refreshed after closing", async () => {
    const looked: AbortSignal[] = [];
    const sniff = async (_: unknown, signal: AbortSignal) => {
      looked.push(signal);
      return "png" as const;
    };
    const { get, infos, state } = house({ sniff });
    await get();
    state.version = "2";
    state.now += 1_999;
    await get();
    await vi.waitFor(() => expect(state.found).toBe(2));
    infos.close();
    await get();
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.found).toBe(2);
    expect(looked.slice(1).map(({ aborted }) => aborted)).not.toContain(false);
    expect((await get()).version).toBe("1");
  });

  it("is trusted again once the source has confirmed it", async () => {
    const { get, state } = house();
    await get();
    state.now += 3_000;
    await get();
    state.now += 1_000;
    await get();
    expect(state).toMatchObject({ found: 2, learned: 1 });
  });

  it("is checked once for concurrent callers, and again for later ones", async () => {
    const { get, state } = house();
    await Promise.all(Array.from({ length: 50 }, () => get()));
    expect(state).toMatchObject({ found: 1, learned: 1 });
    state.now += 2_000;
    const looking = Array.from({ length: 50 }, () => get());
    state.now += 2_000;
    await Promise.all(looking);
    expect(state).toMatchObject({ found: 2, learned: 1 });
    await get();
    expect(state.found).toBe(3);
  });

  it("is not taken from a check that began when another version was known", async () => {
    const finds: ((version: string) => void)[] = [];
    const open = () => Promise.resolve(emptyReader);
    const find = () =>
      new Promise<SourceObject>((resolve) =>
        finds.push((version) => resolve({ version, size: 4, open })),
      );
    const { get, state } = house({ source: () => ({ find }) });
    const answers = [get()];
    await expect.poll(() => finds.length).toBe(1);
    finds[0]?.("1");
    await answers[0];
    state.now += 2_000;
    answers.push(get());
    answers.push(get("a", "refresh"));
    finds[2]?.("2");
    await answers[2];
    state.now += 2_000;
    answers.push(get());
    finds[1]?.("1");
    finds[3]?.("2");
    const versions = (await Promise.all(answers)).map(({ version }) => version);
    expect(versions).toEqual(["1", "1", "2", "2"]);
  });

  it("is requested every time if nothing is to be trusted", async () => {
    const { get, state } = house({ trustMs: () => 0 });
    await get();
    state.version = "2";
    expect((await get()).version).toBe("2");
    expect(state.found).toBe(2);
  });

  it("is not used on refresh or bypass", async () => {
    const { get, state } = house();
    await get();
    state.version = "2";
    expect((await get("a", "refresh")).version).toBe("2");
    expect(state.found).toBe(2);
  });

  it("is not stored on bypass", async () => {
    const { get, infos, state } = house();
    await get("a", "bypass");
    expect(infos.lastKnown("a")).toBeUndefined();
    await get();
    state.version = "2";
    expect((await get("a", "bypass")).version).toBe("2");
    expect((await get()).version).toBe("1");
  });

  it("is dropped when it proves outdated, unless newer info was stored meanwhile", async () => {
    const { infos, get, state } = house();
    const known = await get();
    infos.forget("a", known);
    await get();
    expect(state.found).toBe(2);
    infos.forget("a", { version: "another" });
    await get();
    expect(state.found).toBe(2);
  });

  it("is read of the new file if that was replaced during reading, but not endlessly", async () => {
    const { get, state } = house();
    state.replacements = 1;
    expect((await get()).version).toBe("1+");
    const other = house();
    other.state.replacements = 2;
    await expect(other.get()).rejects.toThrow(SourceChanged);
  });

  it("keeps to its memory limit, however many images are requested", async () => {
    const { get, state } = house({ maxBytes: 20_000 });
    for (let n = 0; n < 100; n++) await get(`image ${n}`);
    const { learned } = state;
    await get("image 99");
    expect(state.learned).toBe(learned);
    await get("image 0");
    expect(state.learned).toBe(learned + 1);
  });
});

describe("infos shared with other servers", () => {
  const keptIn = (cache = createMemory({ bytes: 1 << 20 })) => ({
    cache,
    kept: storedInfos(cache),
  });

  it("are read once by all that share the cache, and the source is still contacted", async () => {
    const { kept } = keptIn();
    const first = house({ kept, trustMs: () => 0 });
    const second = house({ kept, trustMs: () => 0 });
    const known = await first.get();
    expect((await second.get()).info).toEqual(known.info);
    expect(first.state).toMatchObject({ learned: 1, found: 1 });
    expect(second.state).toMatchObject({ learned: 0, found: 1 });
  });

  it("are not stored if they are purged while being read", async () => {
    const { kept } = keptIn();
    let resume = (): void => {};
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const first = house({
      kept,
      sniff: async () => {
        await held;
        return "png";
      },
    });
    const reading = first.get();
    await vi.waitFor(() => expect(first.state.found).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    first.infos.forgetAll("a");
    resume();
    await reading;
    const second = house({ kept });
    await second.get();
    expect([first.state.learned, second.state.learned]).toEqual([1, 1]);
  });

  it("are read again if the stored image has changed", async () => {
    const { kept } = keptIn();
    await house({ kept, trustMs: () => 0 }).get();
    const second = house({ kept, trustMs: () => 0 });
    second.state.version = "2";
    expect((await second.get()).version).toBe("2");
    expect(second.state.learned).toBe(1);
    const third = house({ kept, trustMs: () => 0 });
    third.state.version = "2";
    await third.get();
    expect(third.state.learned).toBe(0);
  });

  it("save contacting the source while they are young; opening the image detects changes", async () => {
    const { kept } = keptIn();
    await house({ kept, trustMs: () => 60_000 }).get();
    const second = house({ kept, trustMs: () => 60_000 });
    const known = await second.get();
    expect(second.state).toMatchObject({ learned: 0, found: 0 });
    await (await known.object.open()).close();
    expect(second.state.found).toBe(1);
    second.state.version = "2";
    await expect(known.object.open()).rejects.toThrow(SourceChanged);
  });

  it("are trusted only as long as their origin", async () => {
    const keptFor = (ageMs: number): KeptInfos => ({
      get: async () => ({
        record: { info: { format: "png", pages: [page] }, version: "1", size: 4 },
        ageMs,
      }),
      put: async () => {},
    });
    const past = house({ kept: keptFor(2_000) });
    await past.get();
    expect(past.state).toMatchObject({ found: 1, learned: 0 });
    const young = house({ kept: keptFor(1_000) });
    await young.get();
    young.state.now += 499;
    await young.get();
    expect(young.state.found).toBe(0);
    young.state.now += 501;
    expect(young.infos.cached("a", "use")).toBeUndefined();
    await young.get();
    expect(young.state).toMatchObject({ found: 1, learned: 0 });
  });

  it("are neither read nor written on bypass, written and not read on refresh", async () => {
    const { kept, cache } = keptIn();
    await house({ kept }).get("a", "bypass");
    expect((await cache.stats()).entries).toBe(0);
    await house({ kept }).get("a", "refresh");
    expect((await cache.stats()).entries).toBe(1);
    const second = house({ kept });
    await second.get("a", "refresh");
    expect(second.state.learned).toBe(1);
  });

  it("of another schema are misses", async () => {
    const { kept, cache } = keptIn();
    await cache.put(infoName("a"), new TextEncoder().encode('{"schema":0}'));
    const { get, state } = house({ kept, trustMs: () => 60_000 });
    await get();
    expect(state.learned).toBe(1);
  });

  it("are purged when the source reports that an image is gone", async () => {
    const gone: string[] = [];
    const { get } = house({
      source: () => ({ find: async () => fail("missing", "It is gone.") }),
      onMissing: (identifier) => void gone.push(identifier),
    });
    await expect(get("a")).rejects.toThrow("It is gone.");
    expect(gone).toEqual(["a"]);
  });
});
