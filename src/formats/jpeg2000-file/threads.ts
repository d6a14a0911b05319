import { ServerError } from "../../core/errors.ts";
import { area, type Rect } from "../../core/geometry.ts";
import type { Plan } from "../../core/plan.ts";
import { type Job, type Steps, work } from "../../core/steps.ts";
import type { LevelPart, ScaledPart } from "../codec.ts";
import { withProfile } from "../jpeg-segments.ts";
import type { JpegForm } from "../jpeg2000/job.ts";
import { encodingFor } from "../recoding.ts";
import { extentOf, mostTaps } from "../scaling-weights.ts";
import { compressions } from "../tiff-tags.ts";
import type { ScaleJob, TileJob, TileKind } from "../tile-job.ts";
import { scalingBytes } from "../tile-scaling.ts";
import type { TileThreads } from "../tile-threads.ts";
import { drawing, scaledDrawing } from "../tile-work.ts";
import type { RegionPixels } from "./kept-pixels.ts";
import type { StoredLevel } from "./levels.ts";

/** The level that JPEGs are made of, and who encodes them. */
export interface DrawingMeans {
  readonly threads: TileThreads;
  readonly level: StoredLevel;
  /** Of a pixel. */
  readonly samples: 1 | 3;
  /** The profile of the colours, if they have one. */
  readonly profile: Uint8Array | undefined;
}

/** What JPEGs are made of, once it is decoded. */
export interface Drawing extends DrawingMeans {
  /** The pixels of a region of the level. */
  readonly read: (region: Rect) => Steps<RegionPixels>;
  /** A JPEG of a region whose pixels nobody else is likely to want; undefined where it has to be made of what `read` answers. */
  readonly encode: (region: Rect, form: JpegForm) => Steps<Uint8Array | undefined>;
}

/** More pixels keep a thread for too long. */
const mostPixels = 8_388_608;
/** More pixels are encoded by threads of their own. */
const mostAtOnce = 262_144;
/** Of memory that a thread then keeps. */
const mostBytes = 67_108_864;
/** Weights to a pixel along one axis. */
const mostWeights = 256;
/** Level pixels to a pixel of the picture: less is more than what rounding of sides makes. */
const leastStep = 0.9;
/** A JPEG's (ISO/IEC 10918-1, B.2.2), as far as libjpeg goes. */
const longestSide = 65_500;

/** A JPEG of a part of a level as the plan's encoding has it; undefined where libvips has to draw it. */
export function* recodeLevel(
  means: Drawing,
  { region, profiled }: Pick<LevelPart, "region" | "profiled">,
  plan: Plan,
): Steps<Uint8Array | undefined> {
  const encoding = encodingOf(plan);
  if (encoding === undefined || whyNotRecoded(region, plan) !== undefined) return undefined;
  if (cannotCarry(means, profiled)) return undefined;
  if (area(region) <= mostAtOnce) {
    const jpeg = yield* means.encode(region, encoding);
    if (jpeg !== undefined) return withOwnProfile(jpeg, means, profiled);
  }
  const job = { ...tileOf(means, region, yield* means.read(region)), ...encoding };
  return yield* finished(means, profiled, drawing(means.threads, job));
}

/** Why `recodeLevel` answers nothing for a region of plain pixels; undefined where it answers. */
export const whyNotRecoded = (region: Rect, plan: Plan): string | undefined => {
  if (encodingOf(plan) === undefined) return "the encoding is one that only libvips has";
  return area(region) > mostPixels || Math.max(region.width, region.height) > longestSide
    ? "it is too large for a thread"
    : undefined;
};

/** As `recodeLevel`, of a part that is reduced, in at most `most` bytes of memory. */
export function* scaleLevel(
  means: Drawing,
  part: Pick<ScaledPart, "axes" | "profiled">,
  plan: Plan,
  most: number,
): Steps<Uint8Array | undefined> {
  const wanted = wantedOf(means, part, plan, most);
  if (wanted === undefined || cannotCarry(means, part.profiled)) return undefined;
  const { region } = wanted;
  const job = { ...tileOf(means, region, yield* means.read(region)), ...wanted };
  const isHere = area(region) <= mostScaledAtOnce;
  return yield* finished(means, part.profiled, scaledDrawing(means.threads, job, isHere));
}

/** More pixels are reduced by threads. */
const mostScaledAtOnce = 1_048_576;

/** What a thread has to know of a picture beside its pixels; undefined where libvips has to draw it. */
const wantedOf = (
  { level, samples }: DrawingMeans,
  { axes }: Pick<ScaledPart, "axes">,
  plan: Plan,
  most: number,
): Omit<ScaleJob, keyof TileKind | "tiles" | "decoded" | "left"> | undefined => {
  const encoding = encodingOf(plan);
  const factor = 2 ** level.reduce;
  const { size } = level;
  const covers = { x: 0, y: 0, width: size.width * factor, height: size.height * factor };
  const scaling = { ...axes({ size, covers }), filter: plan.downscaleFilter };
  const region = regionFor(level, scaling);
  if (encoding === undefined || region === undefined || area(region) > mostPixels) return undefined;
  const bytes = scalingBytes({ ...scaling, tile: region, samples, columns: 1 });
  if (bytes > Math.min(most, mostBytes)) return undefined;
  return { ...encoding, ...scaling, region, columns: 1, level: size };
};

/** How JPEGs are encoded; undefined where the encoder of tiles cannot. */
const encodingOf = (plan: Plan): ReturnType<typeof encodingFor> => {
  const { encoding } = plan;
  if (encoding["progressive"] === true || encoding["optimise"] === true) return undefined;
  return encodingFor(plan);
};

/** Pixels as a tile that is not compressed. */
const tileOf = (
  { samples }: DrawingMeans,
  { width, height }: Rect,
  { values, isShared }: RegionPixels,
): Omit<TileJob, "quality" | "subsampling"> => ({
  tiles: [{ bytes: values, x: 0, y: 0 }],
  isShared,
  tile: { width, height },
  size: { width, height },
  compression: compressions.none,
  predictor: 1,
  samples,
});

type Scaling = Pick<ScaleJob, "across" | "down" | "filter">;

/** What of the level is needed; undefined where that is not for threads. */
const regionFor = ({ size }: StoredLevel, { across, down, filter }: Scaling): Rect | undefined => {
  for (const { step, count } of [across, down])
    if (step < leastStep || mostTaps(step, filter) > mostWeights || count > longestSide)
      return undefined;
  const [x, right] = extentOf(across, filter, size.width);
  const [y, bottom] = extentOf(down, filter, size.height);
  return { x, y, width: right - x, height: bottom - y };
};

function* finished(
  means: DrawingMeans,
  profiled: boolean,
  job: Job<Uint8Array>,
): Steps<Uint8Array | undefined> {
  try {
    return withOwnProfile(yield* work(job), means, profiled);
  } catch (error) {
    // A thread that broke down has said nothing of the picture yet.
    if (error instanceof ServerError && error.failure === "internal") return undefined;
    throw error;
  }
}

/** Whether a profile is wanted that there is not. */
const cannotCarry = ({ profile }: DrawingMeans, profiled: boolean): boolean =>
  profiled && profile === undefined;

const withOwnProfile = (
  jpeg: Uint8Array,
  { profile }: DrawingMeans,
  profiled: boolean,
): Uint8Array | undefined => (profiled && profile ? withProfile(jpeg, profile) : jpeg);
