import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { memory } from "../caches/memory.ts";
import { Admission, type AdmissionLimits } from "../core/admission.ts";
import type { RequestContext } from "../core/context.ts";
import { fail, ServerError } from "../core/errors.ts";
import { unconstrained } from "../core/identifier.ts";
import type { ImageInfo } from "../core/info.ts";
import { silent } from "../core/log.ts";
import type { RenderOptions } from "../core/plan.ts";
import type { ImageRequest } from "../core/request.ts";
import type { Resolution } from "../iiif/version.ts";
import type { Source } from "../sources/source.ts";
import { tolerant } from "./caching.ts";
import { createImages, type ImagesDeps } from "./images.ts";
import { Infos } from "./infos.ts";

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
  countsOnly: false,
};

const contextOf = (signal = new AbortController().signal): RequestContext => ({
  requestId: "test",
  identifier: "a",
  signal,
});

/** A house of real parts around counted drawing and learning. */
const house = (changes: Partial<ImagesDeps> = {}) => {
  const counts = { drawn: 0, learned: 0, opened: 0, closed: 0 };
  const state = { version: "1", remember: true };
  const source: Source = {
    find: async () => ({
      version: state.version,
      size: 4,
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
  const images = createImages({
    infos,
    resolve: () => resolution,
    renderOptions: () => options,
    render: async () => {
      counts.drawn++;
      await new Promise((resolve) => setImmediate(resolve));
      return new Uint8Array([counts.drawn]);
    },
    admission: new Admission(() => limits),
    cost: () => ({ bytes: 1_000, pixels: 1_000 }),
    ...changes,
  });
  return { images, counts, state };
};

describe("knowing an image", () => {
  it("learns once while the stored object stays the same, and anew when it changed", async () => {
    const { images, counts, state } = house();
    await images.know(contextOf(), "use");
    await images.know(contextOf(), "use");
    expect(counts.learned).toBe(1);
    state.version = "2";
    expect((await images.know(contextOf(), "use")).version).toBe("2");
    expect(counts.learned).toBe(2);
  });

  it("learns once for all who ask at the same time", async () => {
    const { images, counts } = house();
    await Promise.all(Array.from({ length: 50 }, () => images.know(contextOf(), "use")));
    expect(counts.learned).toBe(1);
  });

  it("learns anew when told to bypass or refresh, or when nothing is remembered", async () => {
    const { images, counts, state } = house();
    await images.know(contextOf(), "use");
    await images.know(contextOf(), "bypass");
    await images.know(contextOf(), "refresh");
    expect(counts.learned).toBe(3);
    state.remember = false;
    await images.know(contextOf(), "use");
    expect(counts.learned).toBe(4);
  });

  it("says `unreadable` of a file of no known format", async () => {
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

describe("preparing and drawing", () => {
  it("draws nothing to prepare, and gives a changed object a new key", async () => {
    const { images, counts, state } = house();
    const before = await images.prepare(request, contextOf(), "use");
    state.version = "2";
    const after = await images.prepare(request, contextOf(), "use");
    expect(after.key).not.toBe(before.key);
    expect(counts.drawn).toBe(0);
  });

  it("draws once for a thousand who ask at once, and closes what it opened", async () => {
    const { images, counts } = house();
    const prepared = await images.prepare(request, contextOf(), "use");
    const bodies = await Promise.all(
      Array.from({ length: 1_000 }, () => images.draw(prepared, contextOf(), "use")),
    );
    expect(new Set(bodies.map(([first]) => first))).toEqual(new Set([1]));
    expect(counts.drawn).toBe(1);
    expect(counts.opened).toBe(counts.closed);
  });

  it("serves a kept picture, draws anew on refresh and keeps that, and leaves both alone on bypass", async () => {
    const derivatives = await memory.create({ "HeapCache.target_size": 1 << 20 });
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

  it("serves all the same when the cache is broken", async () => {
    const broken = tolerant(
      {
        get: () => Promise.reject(new Error("away")),
        put: () => Promise.reject(new Error("away")),
        remove: async () => {},
      },
      silent,
    );
    const { images } = house({ derivatives: broken });
    const prepared = await images.prepare(request, contextOf(), "use");
    expect([...(await images.draw(prepared, contextOf(), "use"))]).toEqual([1]);
  });

  it("closes the file when drawing fails", async () => {
    const { images, counts } = house({ render: () => fail("unreadable", "damaged") });
    const prepared = await images.prepare(request, contextOf(), "use");
    await expect(images.draw(prepared, contextOf(), "use")).rejects.toThrow("damaged");
    expect(counts.opened).toBe(counts.closed);
  });

  it("stops drawing when the last who waits has left", async () => {
    let stopped = false;
    const { images } = house({
      render: (_plan, _reader, _info, signal) =>
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
