import { area, type Size } from "../core/geometry.ts";
import { type Page, pageOf } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { whyNotEncoded } from "../formats/fast-jpeg/index.ts";
import type { Encoder, PlainPixels, Raster, Window } from "../formats/shared/index.ts";
import { inPyramid } from "./as-stored.ts";
import { flatten, treat, treatmentOf } from "./colour.ts";
import { blackAndWhite, sharpen, sharpenApron, toGammaEncoded, tone } from "./finish.ts";
import { place, type RequestedPart, wantOf, windowOf } from "./geometry.ts";
import type { Job, Step } from "./job.ts";
import { drawOverlay } from "./overlay.ts";
import {
  type Overview,
  type OverviewJob,
  openOverview,
  overviewPixels,
  sharedBy,
} from "./overview.ts";
import type { Picture } from "./picture.ts";
import { redact } from "./redaction.ts";
import { cut, reachOf, restOf, scale, takeWindow, trim } from "./scale.ts";
import { whyNotScaled } from "./scaled.ts";
import { draw } from "./settle.ts";
import { partOfTiled } from "./tiled-pixels.ts";
import { drawableOf, type PlanTools } from "./tools.ts";
import { rotate, turn } from "./turn.ts";

/**
 * The steps in the order that the Image API prescribes: region, size, mirror and rotation, quality.
 * Redactions come before any pixels are mixed, overlays last.
 */
const scaling: readonly Step[] = [cut, redact, scale];
const finishing: readonly Step[] = [
  turn,
  takeWindow,
  toGammaEncoded,
  sharpen,
  trim,
  rotate,
  tone,
  blackAndWhite,
  drawOverlay,
];

/** Renders a plan with libvips and encodes it; throws as `render` does. */
export const drawPlan = async (
  plan: Plan,
  means: PlanTools,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const { encoder, page } = drawableOf(plan, means);
  const want = wantFor(plan, page);
  const { overview } = means;
  const encodePixels = directEncoder(plan, { means, page, want });
  if (overview && encodePixels && plan.orientation === 1) {
    const pixels = cutFrom(overview, want);
    const direct = pixels && (await encodePixels(pixels, plan, signal));
    if (direct !== undefined) return direct;
  }
  const { picture, job } = overview
    ? fromOverview(overview, jobOf(plan, { page, want, raster: overview.raster, signal }))
    : await scaledPicture(plan, { means, page, want }, reader, signal);
  const { image, size, look } = await inSteps(finishing, picture, job);
  if (encodePixels === undefined) return draw(() => encoder.encode(image, plan, signal));
  const drawn = await overviewPixels(image);
  const pixels = partOfTiled(drawn, { x: 0, y: 0, ...size });
  const direct = pixels && (await encodePixels(pixels, plan, signal));
  // Encoding `image` would draw it again.
  return direct ?? draw(() => encoder.encode(openOverview({ pixels: drawn, look }), plan, signal));
};

/**
 * What encodes tiles of a page, or of a pyramid of it, without libvips; undefined for all other
 * responses. It does so wherever their pixels come from, so that the bytes are the same.
 */
const directEncoder = (
  plan: Plan,
  {
    means: { encoder },
    page,
    want: { grid },
  }: PageWanted & {
    readonly means: PlanTools;
  },
): Encoder["encodePixels"] => {
  if (whyNotEncoded(plan) !== undefined) return undefined;
  const isPlain = plan.direct && whyNotScaled(plan, inPyramid(plan, page)) === undefined;
  const isTile = grid !== undefined && area(grid.window) <= maxTilePixels;
  return isPlain && isTile ? encoder?.encodePixels : undefined;
};

/** Pixels of the largest tile that is encoded without libvips, which needs less memory for more. */
const maxTilePixels = 4_194_304;

/** How to make the overview that a plan's result is one of several parts of; undefined otherwise. */
export const overviewJob = (plan: Plan, means: PlanTools): OverviewJob | undefined => {
  const { info } = means;
  const page = pageOf(info, plan.page);
  if (page === undefined || means.decoder === undefined) return undefined;
  const want = wantFor(plan, page);
  const shared = sharedBy(plan, page, want);
  return (
    shared && {
      ...shared,
      info,
      rowsIn(overview) {
        const { window } = restOf(place(want, overview.raster), overview.size);
        return window.y + window.height;
      },
      async make(reader, signal, take) {
        let growing: Overview | undefined;
        const grown: Window["grown"] = (raster, final) => {
          growing ??= finishedOverview(jobOf(plan, { page, want, raster, signal }));
          if (growing) take?.(growing, final);
        };
        const wanted = { means, page, want, grown };
        const { picture, job } = await scaledPicture(plan, wanted, reader, signal);
        const finished = finishedOverview(job);
        if (finished) return finished.pixels === growing?.pixels ? growing : finished;
        const { image, size, look } = picture;
        const { size: rasterSize, covers } = job.raster;
        const pixels = await overviewPixels(image);
        return { pixels, size, look, raster: { size: rasterSize, covers } };
      },
    }
  );
};

/** The raster itself, where its colours and its size are those of the overview. */
const finishedOverview = ({ page, raster, placement, treatment }: Job): Overview | undefined => {
  const { cut, scaled } = placement;
  if (cut !== undefined || scaled !== undefined || treatment.converts) return undefined;
  const { alpha, bits } = page.colour;
  const { tiff, size, covers } = raster;
  if (alpha || bits > 8 || tiff === undefined) return undefined;
  return { pixels: tiff, size, look: treatment.look, raster: { size, covers } };
};

/** What a page's pixels go through. */
interface Scaled {
  readonly picture: Picture;
  readonly job: Job;
}

/** The pixels of the requested part of an overview; undefined where the overview is too short. */
const cutFrom = (overview: Overview, want: RequestedPart): PlainPixels | undefined => {
  const { window, beyond } = restOf(place(want, overview.raster), overview.size);
  return isBeyond({ width: beyond.right, height: beyond.bottom })
    ? undefined
    : partOfTiled(overview.pixels, window);
};

const isBeyond = ({ width, height }: Size): boolean => width > 0 || height > 0;

/**
 * The requested part of an overview. It is cut out before anything else: without a resize, sharp
 * would cut before it mirrors, whatever the order of calls.
 */
const fromOverview = (overview: Overview, job: Job): Scaled => {
  const { window, ...rest } = restOf(job.placement, overview.size);
  const size = { width: window.width, height: window.height };
  const picture: Picture = {
    image: openOverview(overview).extract({ left: window.x, top: window.y, ...size }),
    size,
    pending: "cut",
    look: overview.look,
    rest: { window: { x: 0, y: 0, ...size }, ...rest },
  };
  return { picture, job };
};

const wantFor = (plan: Plan, page: Page): RequestedPart =>
  wantOf(plan, page, {
    apron: plan.sharpen > 0 ? sharpenApron : 0,
    reach: reachOf(reduces(plan) ? plan.downscaleFilter : plan.upscaleFilter),
  });

const reduces = ({ size, crop }: Plan): boolean =>
  size.width < crop.width || size.height < crop.height;

/** Reads a page and scales it, or the requested part of it. */
const scaledPicture = async (
  plan: Plan,
  { means, page, want, grown }: PageWanted & { readonly means: PlanTools } & Pick<Window, "grown">,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<Scaled> => {
  const { info, timings } = means;
  const { decoder } = drawableOf(plan, means);
  timings?.enter("read");
  const window = { ...windowOf(want, page, plan.page), ...(grown && { grown }) };
  const raster = await decoder.read(reader, info, window, plan, signal);
  timings?.enter("draw");
  const job = jobOf(plan, { page, want, raster, signal });
  return { picture: await inSteps(scaling, begin(raster, job), job), job };
};

interface PageWanted {
  readonly page: Page;
  readonly want: RequestedPart;
}

const jobOf = (
  plan: Plan,
  {
    page,
    want,
    raster,
    signal,
  }: PageWanted & {
    readonly raster: Pick<Raster, "size" | "covers" | "halves" | "tiff">;
    readonly signal: AbortSignal;
  },
): Job => {
  const placement = place(want, raster);
  return {
    plan,
    page,
    raster,
    placement,
    treatment: treatmentOf(plan, page.colour),
    reduces: reduces(plan),
    linear: plan.linear && reduces(plan) && placement.scaled !== undefined,
    halves: raster.halves === true,
    signal,
  };
};

const inSteps = async (steps: readonly Step[], start: Picture, job: Job): Promise<Picture> => {
  let picture = start;
  for (const step of steps) {
    job.signal.throwIfAborted();
    picture = await step(picture, job);
  }
  job.signal.throwIfAborted();
  return picture;
};

const begin = ({ image, size }: Raster, { page, treatment, linear }: Job): Picture => {
  const treated = treat(image, treatment, page.colour.bits);
  // In linear light a background would be taken for another colour, so it is applied later.
  return {
    image: linear ? treated : flatten(treated, treatment),
    size,
    look: treatment.look,
  };
};
