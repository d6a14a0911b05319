import { Config } from "../src/config/store.ts";
import type { RequestContext } from "../src/core/context.ts";
import { type Failure, fail } from "../src/core/errors.ts";
import type { ImageInfo } from "../src/core/info.ts";
import { type Plan, planKey } from "../src/core/plan.ts";
import { limitKeys } from "../src/iiif/limits.ts";
import { resolve } from "../src/iiif/resolve.ts";
import type { Images } from "../src/service/images.ts";
import type { KnownImage } from "../src/service/known.ts";

/** Fake images for tests of the layers above them, with a count of calls. */
export interface FakeImages extends Images {
  readonly asked: { known: string[]; drawn: string[]; signals: AbortSignal[] };
}

/** The size of every page of every fake image. */
const fakeSize = { width: 1000, height: 800 };

/** When every fake image was last changed. */
const fakeDate = new Date("2024-05-06T07:08:09.500Z");

/**
 * Every identifier names an image of two pages, except `missing`, `denied` and the other errors,
 * which fail that way; rendering `slow` takes until it is aborted.
 */
export const fakeImages = (): FakeImages => {
  const asked: FakeImages["asked"] = { known: [], drawn: [], signals: [] };
  const limits = new Config().view(limitKeys);
  const know = async ({ identifier, signal }: RequestContext): Promise<KnownImage> => {
    asked.known.push(identifier);
    asked.signals.push(signal);
    if (identifier === "thrown") throw new Error("a secret at /etc/passwd");
    if (failing.has(identifier)) fail(identifier as Failure, `It is ${identifier} & <b>so</b>`);
    return {
      info,
      version: "1",
      lastModified: fakeDate,
      object: { version: "1", size: 0, open: () => Promise.reject(new Error("not to be read")) },
    };
  };
  return {
    asked,
    know,
    prepare: async (request, context) => {
      const image = await know(context);
      const resolution = resolve(request, info, limits());
      const plan: Plan = { ...resolution.resolved, ...options, sourceVersion: image.version };
      return { plan, resolution, image, key: planKey(plan) };
    },
    prepareSync: () => undefined,
    cachedNow: () => undefined,
    cachedName: () => undefined,
    isCached: () => false,
    draw: async ({ plan }, { signal }) => {
      asked.drawn.push(plan.identifier);
      if (plan.identifier === "slow") await aborted(signal);
      return new TextEncoder().encode(`pixels of ${plan.identifier}`);
    },
  };
};

const failing: ReadonlySet<string> = new Set<Failure>([
  "malformed",
  "unauthenticated",
  "denied",
  "missing",
  "unimplemented",
  "unreadable",
  "upstream",
  "busy",
  "internal",
]);

const page: ImageInfo["pages"][0] = {
  size: fakeSize,
  orientation: 1,
  levels: [{ size: fakeSize, tile: fakeSize }],
  colour: { bits: 8, model: "rgb", alpha: false, profile: "none" },
};

const info: ImageInfo = { format: "tif", pages: [page, page] };

const options = {
  downscaleFilter: "bicubic",
  upscaleFilter: "bicubic",
  linear: false,
  sharpen: 0,
  background: [255, 255, 255],
  colour: "keep",
  deep: false,
  encoding: {},
} as const;

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
