import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { guarded } from "../caches/guarded.ts";
import { createMemory } from "../caches/memory.ts";
import { derivativeName } from "../caches/names.ts";
import { Admission, type AdmissionLimits } from "../core/admission.ts";
import { Quarantined } from "../core/busy.ts";
import type { RequestContext } from "../core/context.ts";
import { DecoderLost, fail, ServerError } from "../core/errors.ts";
import { unconstrained } from "../core/identifier.ts";
import type { ImageInfo } from "../core/info.ts";
import { silent } from "../core/log.ts";
import type { Plan, RenderOptions } from "../core/plan.ts";
import { SourceChanged } from "../core/range-reader.ts";
import type { ImageRequest } from "../core/request.ts";
import type { Source, SourceObject } from "../core/source.ts";
import { readOne, work } from "../core/steps.ts";
import { Timings } from "../core/timings.ts";
import type { Decoder, Encoder } from "../formats/shared/codec.ts";
import type { Resolution } from "../iiif/version.ts";
import type { Overview } from "../render/overview.ts";
import type { PlanTools } from "../render/tools.ts";
import type { Way } from "../render/ways.ts";
import { createImages, type ImagesDeps } from "./images.ts";
import { Infos } from "./infos.ts";
import type { Caching, KnownImage } from "./known.ts";
import { Overviews } from "./overviews.ts";
import { Quarantine } from "./quarantine.ts";

const size = { width: 40, height: 30 };
const info: ImageInfo = {
  format: "png",
  pages: [
    {
      size,
      orientation: 1,
      levels: [{ size, tile: size }],
      colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
    },
  ],
};
const request: ImageRequest = {
  id: { identifier: "a", page: 1, constraint: unconstrained },
  region: { kind: "full" },
  size: { kind: "max", upscale: false },
  mirror: false,
  rotation: 0,
  quality: "default",
  format: "jpg",
};
const resolution: Resolution = {
  resolved: {
    identifier: "a",
    page: 0,
    orientation: 1,
    crop: { x: 0, y: 0, ...size },
    size,
    mirror: false,
    rotation: 0,
    quality: "default",
    format: "jpg",
  },
  extent: { page: size, crop: { x: 0, y: 0, ...size }, largest: size, enlarged: size },
};
const options: RenderOptions = {
  downscaleFilter: "bicubic",
  upscaleFilter: "bicubic",
  linear: false,
  sharpen: 0,
  background: [255, 255, 255],
  colour: "keep",
  deep: false,
  encoding: { quality: 80 },
};

const lane = { running: 1, bytes: 1_000_000 };
const limits: AdmissionLimits = {
  small: lane,
  large: lane,
  largePixels: 1_000_000,
  waiting: 1_000,
  patienceMs: 60_000,
  rest: 1,
};

const contextOf = (signal = new AbortController().signal): RequestContext => ({
  requestId: "test",
  identifier: "a",
  signal,
});

/** Replacements for parts under test. */
interface Changes extends Partial<ImagesDeps> {
  /** The source's result when the stored tile is read; absent: the source is not asked. */
  readonly stored?: (() => Uint8Array | undefined) | undefined;
  /** Whether the plan alone allows a stored tile. */
  readonly isStored?: boolean | undefined;
  readonly render?: (
    signal: AbortSignal,
    timings: Timings | undefined,
  ) => Uint8Array | Promise<Uint8Array>;
  /** Renders on the event loop. */
  readonly drawHere?: (() => Uint8Array) | undefined;
}

const decoder: Decoder = {
  info: async () => info,
  read: () => fail("internal", "Nothing is read in this test."),
};
const encoder: Encoder = { encode: () => fail("internal", "Nothing is encoded in this test.") };

const means = (_plan: Plan, image: KnownImage, timings: Timings | undefined): PlanTools => ({
  info: image.info,
  file: image.object,
  part: "there are no parts in this test",
  decoder,
  encoder,
  timings,
});

/** Two ways, one that reads and one that renders. */
const fakeWays = ({
  stored,
  isStored = stored !== undefined,
  render,
  drawHere,
}: Pick<Changes, "stored" | "isStored" | "drawHere"> &
  Required<Pick<Changes, "render">>): readonly Way[] => [
  {
    name: "stored",
    isFree: true,
    whyNot: () => (isStored ? undefined : "nothing is stored"),
    *answer() {
      yield* readOne({ offset: 0, length: 1 });
      return stored?.();
    },
  },
  {
    name: "drawn",
    isFree: false,
    whyNot: () => undefined,
    *answer(_plan, { timings }) {
      return yield* work({
        ...(drawHere && { here: drawHere }),
        away: async (signal) => render(signal, timings),
      });
    },
  },
];

/** Images built of real parts around counted renders and lookups. */
const house = (
  { stored, isStored, render, drawHere, ...changes }: Changes = {},
  object: Partial<SourceObject> = {},
) => {
  const counts = { drawn: 0, learned: 0, opened: 0, closed: 0 };
  const state = { version: "1", remember: true };
  const source: Source = {
    find: async () => ({
      version: state.version,
      size: 4,
      ...object,
      async open() {
        counts.opened++;
        return {
          size: 4,
          read: async () => new Uint8Array(4),
          stream: () => Readable.from([]),
          close: async () => {
            counts.closed++;
          },
        };
      },
    }),
  };
  const infos = new Infos({
    source: () => source,
    sniff: async () => "png",
    codec: async () => ({
      decoder: {
        info: async () => {
          counts.learned++;
          return info;
        },
        read: () => fail("internal", "Nothing is read in this test."),
      },
    }),
    remember: () => state.remember,
  });
  const count = async (): Promise<Uint8Array> => {
    counts.drawn++;
    await new Promise((resolve) => setImmediate(resolve));
    return new Uint8Array([counts.drawn]);
  };
  const images = createImages({
    infos,
    resolve: () => resolution,
    renderOptions: () => options,
    ways: fakeWays({ stored, isStored, drawHere, render: render ?? count }),
    means: { ready: means, load: async (...of) => means(...of) },
    admission: new Admission(() => limits),
    cost: () => ({ bytes: 1_000, pixels: 1_000 }),
    ...changes,
  });
  return { images, counts, state };
};

describe("reading the info of an image", () => {
  it("happens once while the stored object is the same, and again when it changes", async () => {
    const { images, counts, state } = house();
    await images.know(contextOf(), "use");
    await images.know(contextOf(), "use");
    expect(counts.learned).toBe(1);
    state.version = "2";
    expect((await images.know(contextOf(), "use")).version).toBe("2");
    expect(counts.learned).toBe(2);
  });

  it("happens once for concurrent callers", async () => {
    const { images, counts } = house();
    await Promise.all(Array.from({ length: 50 }, () => images.know(contextOf(), "use")));
    expect(counts.learned).toBe(1);
  });

  it("is repeated for bypass and refresh, or without a cache", async () => {
    const { images, counts, state } = house();
    await images.know(contextOf(), "use");
    await images.know(contextOf(), "bypass");
    await images.know(contextOf(), "refresh");
    expect(counts.learned).toBe(3);
    state.remember = false;
    await images.know(contextOf(), "use");
    expect(counts.learned).toBe(4);
  });

  it("reports `unreadable` for a file of unknown format", async () => {
    const { images } = house({
      infos: new Infos({
        source: () => ({
          find: async () => ({
            version: "1",
            size: 0,
            open: async () => ({
              size: 0,
              read: async () => new Uint8Array(),
              stream: () => Readable.from([]),
              close: async () => {},
            }),
          }),
        }),
        sniff: async () => undefined,
        codec: async () => ({}),
        remember: () => true,
      }),
    });
    await expect(images.know(contextOf(), "use")).rejects.toSatisfy(
      (error) => error instanceof ServerError && error.failure === "unreadable",
    );
  });
});

describe("timings", () => {
  /** A clock that advances by a millisecond on each reading. */
  const timed = (): RequestContext & { readonly timings: Timings } => {
    let now = 0;
    return { ...contextOf(), timings: new Timings(() => now++) };
  };
  const stages = ({ timings }: { readonly timings: Timings }): readonly string[] => {
    timings.end();
    return Object.keys(timings.times);
  };

  it("include every stage of a rendered image, and the few of a cached one", async () => {
    const derivatives = createMemory({ bytes: 1 << 20 });
    const { images } = house({ derivatives, stored: () => undefined });
    const first = timed();
    await images.draw(await images.prepare(request, first, "use"), first, "use");
    const second = timed();
    await images.draw(await images.prepare(request, second, "use"), second, "use");
    const before = ["parse", "info", "plan", "cache"];
    expect(stages(first)).toEqual([...before, "share", "stored", "wait", "draw", "keep"]);
    expect(stages(second)).toEqual(before);
  });

  it("include only `share` for a request that joins a render in flight", async () => {
    const { images } = house({
      render: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return new Uint8Array(1);
      },
    });
    const prepared = await images.prepare(request, contextOf(), "use");
    const [first, second] = [timed(), timed()];
    await Promise.all([images.draw(prepared, first, "use"), images.draw(prepared, second, "use")]);
    expect(stages(first)).toEqual(["parse", "cache", "share", "wait", "draw", "keep"]);
    expect(stages(second)).toEqual(["parse", "cache", "share"]);
  });
});

describe("stored tiles of a local source", () => {
  const cached = (changes: Changes = {}) => {
    const counts = { sought: 0, changed: false };
    const { images, state } = house({
      stored: () => {
        counts.sought++;
        if (counts.changed) throw new SourceChanged();
        return new Uint8Array([7]);
      },
      ...changes,
    });
    const ask = async (caching: Caching) => {
      const prepared = await images.prepare(request, contextOf(), "use");
      const object = { ...prepared.image.object, local: true } as const;
      const near = { ...prepared, image: { ...prepared.image, object } };
      return (await images.draw(near, contextOf(), caching))[0];
    };
    return { counts, state, ask };
  };

  it("are read for each request, and nothing is rendered", async () => {
    const { counts, ask } = cached();
    const bodies = await Promise.all(Array.from({ length: 5 }, () => ask("use")));
    expect(bodies).toEqual([7, 7, 7, 7, 7]);
    expect(counts.sought).toBe(5);
  });

  it("are cached like everything else if there is a cache", async () => {
    const { counts, ask } = cached({ derivatives: createMemory({ bytes: 1 << 20 }) });
    expect([await ask("use"), await ask("use"), await ask("bypass")]).toEqual([7, 7, 7]);
    expect(counts.sought).toBe(2);
  });

  it("are looked for once if the response has to be rendered after all", async () => {
    let sought = 0;
    const { ask } = cached({
      stored: () => {
        sought++;
        return undefined;
      },
    });
    expect(await ask("use")).toBe(1);
    expect(sought).toBe(1);
  });

  it("are read once for concurrent requests if they are larger than a tile", async () => {
    let sought = 0;
    const { images } = house({
      stored: () => {
        sought++;
        return new Uint8Array([7]);
      },
    });
    const prepared = await images.prepare(request, contextOf(), "use");
    const object = { ...prepared.image.object, local: true } as const;
    const drawn = (width: number, height: number) => {
      const plan = { ...prepared.plan, size: { width, height } };
      const asked = { ...prepared, plan, image: { ...prepared.image, object } };
      return Promise.all(Array.from({ length: 5 }, () => images.draw(asked, contextOf(), "use")));
    };
    await drawn(1_024, 1_025);
    expect(sought).toBe(1);
    await drawn(1_024, 1_024);
    expect(sought).toBe(6);
  });

  it("are rendered from the new file if the old one was replaced meanwhile", async () => {
    const { counts, ask } = cached();
    counts.changed = true;
    expect(await ask("use")).toBe(1);
    expect(counts.sought).toBe(1);
  });

  it("are not looked for if the plan alone excludes them", async () => {
    const { counts, ask } = cached({ isStored: false });
    expect(await ask("use")).toBe(1);
    expect(counts.sought).toBe(0);
  });
});

describe("preparing and rendering", () => {
  it("renders nothing to prepare, and gives a changed object a new key", async () => {
    const { images, counts, state } = house();
    const before = await images.prepare(request, contextOf(), "use");
    state.version = "2";
    const after = await images.prepare(request, contextOf(), "use");
    expect(after.key).not.toBe(before.key);
    expect(counts.drawn).toBe(0);
  });

  it("renders once for a thousand concurrent requests, and closes what it opened", async () => {
    const { images, counts } = house();
    const prepared = await images.prepare(request, contextOf(), "use");
    const bodies = await Promise.all(
      Array.from({ length: 1_000 }, () => images.draw(prepared, contextOf(), "use")),
    );
    expect(new Set(bodies.map(([first]) => first))).toEqual(new Set([1]));
    expect(counts.drawn).toBe(1);
    expect(counts.opened).toBe(counts.closed);
  });

  it("serves cached images, renders and stores again on refresh, and does neither on bypass", async () => {
    const derivatives = createMemory({ bytes: 1 << 20 });
    const { images } = house({ derivatives });
    const prepared = await images.prepare(request, contextOf(), "use");
    const draw = async (caching: "use" | "refresh" | "bypass") =>
      (await images.draw(prepared, contextOf(), caching))[0];
    expect(await draw("use")).toBe(1);
    expect(await draw("use")).toBe(1);
    expect(await draw("bypass")).toBe(2);
    expect(await draw("use")).toBe(1);
    expect(await draw("refresh")).toBe(3);
    expect(await draw("use")).toBe(3);
  });

  it("renders separately for refresh and bypass while others wait for the same image", async () => {
    const drawing: ((body: Uint8Array) => void)[] = [];
    const render = () => new Promise<Uint8Array>((resolve) => drawing.push(resolve));
    const { images } = house({ render });
    const prepared = await images.prepare(request, contextOf(), "use");
    const cachings = ["use", "refresh", "bypass", "use", "refresh", "bypass"] as const;
    const bodies = cachings.map((caching) => images.draw(prepared, contextOf(), caching));
    await expect.poll(() => drawing.length).toBe(1);
    for (let next = 0; next < 3; next++) {
      drawing[next]?.(Uint8Array.from([next]));
      if (next < 2) await expect.poll(() => drawing.length).toBe(next + 2);
    }
    expect((await Promise.all(bodies)).map(([first]) => first)).toEqual([0, 1, 2, 0, 1, 2]);
    expect(drawing).toHaveLength(3);
  });

  it("stores a render of a replaced image under its current version", async () => {
    const derivatives = createMemory({ bytes: 1 << 20 });
    let isReplaced = false;
    const { images, state } = house({
      derivatives,
      render: async () => {
        if (isReplaced) return Uint8Array.from([2]);
        isReplaced = true;
        state.version = "2";
        throw new SourceChanged();
      },
    });
    const old = await images.prepare(request, contextOf(), "use");
    expect([...(await images.draw(old, contextOf(), "use"))]).toEqual([2]);
    const now = await images.prepare(request, contextOf(), "use");
    expect(now.key).not.toBe(old.key);
    expect(await derivatives.get(derivativeName(old.key))).toBeUndefined();
    expect([...((await derivatives.get(derivativeName(now.key)))?.body ?? [])]).toEqual([2]);
  });

  it("still serves when the cache is broken", async () => {
    const away = () => Promise.reject(new Error("away"));
    const broken = guarded(
      { get: away, put: away, remove: away, sweep: away, stats: away, close: away },
      { readMs: 1_000, writeMs: 1_000 },
      { log: silent },
    );
    const { images } = house({ derivatives: broken });
    const prepared = await images.prepare(request, contextOf(), "use");
    expect([...(await images.draw(prepared, contextOf(), "use"))]).toEqual([1]);
  });

  it("closes the file when rendering fails", async () => {
    const { images, counts } = house({ render: () => fail("unreadable", "damaged") });
    const prepared = await images.prepare(request, contextOf(), "use");
    await expect(images.draw(prepared, contextOf(), "use")).rejects.toThrow("damaged");
    expect(counts.opened).toBe(counts.closed);
  });

  it("stops rendering when the last waiting client has disconnected", async () => {
    let stopped = false;
    const { images } = house({
      render: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            reject(signal.reason);
          });
        }),
    });
    const prepared = await images.prepare(request, contextOf(), "use");
    const leaving = new AbortController();
    const drawing = images.draw(prepared, contextOf(leaving.signal), "use");
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort(new Error("left"));
    await expect(drawing).rejects.toThrow("left");
    expect(stopped).toBe(true);
  });
});

describe("under overload", () => {
  const crowded = async (changes: Changes) => {
    const admission = new Admission(() => ({ ...limits, waiting: 1 }));
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const cost = { bytes: 1_000, pixels: 1_000 };
    const others = [1, 2].map(() =>
      admission.run(cost, new AbortController().signal, () => opened),
    );
    const stored = () => new Uint8Array([9]);
    const { images, counts } = house({ admission, stored, ...changes });
    const prepared = await images.prepare(request, contextOf(), "use");
    const before = counts.opened;
    const answer = await Promise.resolve(images.draw(prepared, contextOf(), "use")).catch(
      (error: unknown) => error,
    );
    open();
    await Promise.all(others);
    return { answer, opened: counts.opened - before };
  };

  it("requests to be rendered are refused before anything is opened", async () => {
    const { answer, opened } = await crowded({ isStored: false });
    expect(answer).toMatchObject({ failure: "busy", crowd: { lane: "small", waiting: 1 } });
    expect(opened).toBe(0);
  });

  /** The outcome of a request for a known image under load, and what the source returns then. */
  const comesAgain = async (
    resolve: (known: boolean) => Resolution,
    { caching = "use", ...changes }: Changes & { readonly caching?: Caching } = {},
  ) => {
    let full = false;
    const others: Promise<unknown>[] = [];
    let end = (): void => {};
    const ending = new Promise<void>((resolve) => {
      end = resolve;
    });
    const admission = new Admission(() => ({ ...limits, waiting: 1 }));
    const { images } = house({
      admission,
      isStored: false,
      resolve: () => resolve(full),
      ...changes,
    });
    await images.prepare(request, contextOf(), "use");
    const cost = { bytes: 1_000, pixels: 1_000 };
    for (let n = 0; n < 2; n++)
      others.push(admission.run(cost, new AbortController().signal, () => ending));
    full = true;
    const answer = await images
      .prepare(request, contextOf(), caching)
      .catch((error: unknown) => error);
    end();
    await Promise.all(others);
    return answer;
  };

  it("repeated requests are refused before the source is contacted", async () => {
    expect(await comesAgain(() => resolution)).toMatchObject({ failure: "busy" });
  });

  it("nobody is refused by cached info that must not be used", async () => {
    // A remote cache may have the image and has to be asked; a refresh must not use memory.
    expect(await comesAgain(() => resolution, { isFar: true })).toMatchObject({ resolution });
    for (const caching of ["refresh", "bypass"] as const)
      expect(await comesAgain(() => resolution, { caching })).toMatchObject({ resolution });
  });

  it("nobody is refused for what is being rendered already", async () => {
    let end = (): void => {};
    const ending = new Promise<void>((resolve) => {
      end = resolve;
    });
    const admission = new Admission(() => ({ ...limits, waiting: 1 }));
    const { images, counts } = house({ admission, isStored: false });
    const prepared = await images.prepare(request, contextOf(), "use");
    const cost = { bytes: 1_000, pixels: 1_000 };
    const other = admission.run(cost, new AbortController().signal, () => ending);
    const first = images.draw(prepared, contextOf(), "use");
    await expect.poll(() => admission.isCrowded).toBe(true);
    const again = await images.prepare(request, contextOf(), "use");
    const second = images.draw(again, contextOf(), "use");
    end();
    expect(await Promise.all([first, second, other])).toEqual([
      Uint8Array.from([1]),
      Uint8Array.from([1]),
      undefined,
    ]);
    expect(counts.drawn).toBe(1);
  });

  it("nobody is refused because of a previous state of an image", async () => {
    let tries = 0;
    const answer = await comesAgain((isFull) => {
      tries += isFull ? 1 : 0;
      if (isFull && tries === 1) return fail("malformed", "region: beyond the old picture");
      return resolution;
    });
    expect(answer).toMatchObject({ resolution });
  });

  it("nobody is refused what is stored as requested", async () => {
    const found = { answer: new Uint8Array([9]), opened: 1 };
    expect(await crowded({ isStored: true })).toEqual(found);
    expect(await crowded({})).toEqual(found);
  });
});

describe("tiles cut from one overview", () => {
  const overview: Overview = {
    pixels: new Uint8Array(10),
    size,
    look: { space: "srgb", keepsProfile: false },
    raster: { size, covers: { x: 0, y: 0, ...size } },
  };

  /** Images whose tiles are cut from an overview, of which `make` makes one. */
  const cutting = (make: () => Promise<Overview>, changes: Changes = {}) => {
    const counts = { cut: 0, read: 0, resolved: 0, estimates: [] as boolean[] };
    const drawn: Way = {
      name: "drawn",
      isFree: false,
      whyNot: () => undefined,
      overview: (_plan, { info: of }) => ({
        ...{ info: of, key: "k", bytes: 10, make },
        rowsIn: () => size.height,
      }),
      answer: (_plan, { overview: given }) =>
        work({
          away: async () => {
            counts[given === undefined ? "read" : "cut"]++;
            return new Uint8Array(1);
          },
        }),
    };
    const admission = new Admission(() => limits);
    const { images } = house({
      ways: [drawn],
      admission,
      overviews: new Overviews(1_000),
      cost(_plan, _image, isRead = false) {
        counts.estimates.push(isRead);
        return { bytes: 1_000, pixels: isRead ? 1 : limits.largePixels * 2 };
      },
      // Every request is another tile.
      resolve: () => ({
        ...resolution,
        resolved: { ...resolution.resolved, rotation: counts.resolved++ % 360 },
      }),
      ...changes,
    });
    const ask = async () =>
      images.draw(await images.prepare(request, contextOf(), "use"), contextOf(), "use");
    return { counts, admission, ask };
  };

  it("read the image once, and are then admitted as small images, one after the other", async () => {
    let made = 0;
    const { counts, admission, ask } = cutting(async () => {
      made++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(admission.state.large).toMatchObject({ running: 1, waiting: 0 });
      return overview;
    });
    await Promise.all(Array.from({ length: 10 }, ask));
    await ask();
    expect(made).toBe(1);
    expect(counts.read).toBe(0);
    expect(counts.cut).toBe(11);
    expect(counts.estimates.filter((isRead) => !isRead)).toHaveLength(1);
  });

  it("fail together where the image cannot be read", async () => {
    const { counts, ask } = cutting(() =>
      Promise.reject(new ServerError("unreadable", "Corrupt image data.")),
    );
    const asked = await Promise.allSettled([ask(), ask()]);
    for (const outcome of asked)
      expect(outcome).toMatchObject({ reason: { failure: "unreadable" } });
    expect(counts).toMatchObject({ cut: 0, read: 0 });
  });

  it("are read one by one where overviews have no memory", async () => {
    const { counts, ask } = cutting(async () => overview, { overviews: new Overviews(0) });
    await ask();
    await ask();
    expect(counts).toMatchObject({ cut: 0, read: 2 });
  });
});

describe("a tile rendered synchronously", () => {
  /** Images whose tiles are rendered on the event loop, and what they note. */
  const quick = () => {
    const glances: string[] = [];
    const quarantine = new Quarantine({
      settings: () => ({
        "processor.quarantine.after": 1,
        "processor.quarantine.seconds": 600,
      }),
      log: silent,
      journal: { begin: () => () => {}, glance: ({ identifier }) => glances.push(identifier) },
    });
    const counts = { sought: 0, drawnHere: 0 };
    const { images } = house(
      {
        quarantine,
        stored: () => {
          counts.sought++;
          return undefined;
        },
        drawHere: () => {
          counts.drawnHere++;
          return new Uint8Array([7]);
        },
      },
      { local: true, sync: (work) => work((_, length) => new Uint8Array(length)) },
    );
    return { images, quarantine, glances, counts };
  };

  const drawn = async ({ images }: ReturnType<typeof quick>) => {
    const prepared = await images.prepare(request, contextOf(), "use");
    return images.draw(prepared, contextOf(), "use");
  };

  it("is noted beforehand, so that a crash can be attributed", async () => {
    const parts = quick();
    const prepared = await parts.images.prepare(request, contextOf(), "use");
    // Synchronous: nobody waits for it.
    expect(parts.images.draw(prepared, contextOf(), "use")).toEqual(new Uint8Array([7]));
    expect(parts.glances).toEqual(["a"]);
  });

  it("is not rendered synchronously if the image is quarantined; stored tiles are still sent", async () => {
    const parts = quick();
    const lost = new DecoderLost(new ServerError("late", "It took too long."));
    const picture = { identifier: "a", version: "1" };
    const { signal } = new AbortController();
    await expect(
      parts.quarantine.watch(picture, signal, () => Promise.reject(lost)),
    ).rejects.toThrow("too long");
    await expect(drawn(parts)).rejects.toThrow(Quarantined);
    // Looked up once, synchronously, and not again on the asynchronous path.
    expect(parts.counts).toEqual({ sought: 1, drawnHere: 0 });
    expect(parts.glances).toEqual([]);
  });
});
