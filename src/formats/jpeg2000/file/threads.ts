import { area, type Rect } from "../../../core/geometry.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Steps } from "../../../core/steps.ts";
import { withProfile } from "../../containers/index.ts";
import {
  drawing,
  encoded,
  jpegEncodingOf,
  maxJobBytes,
  maxJobPixels,
  maxJpegSide,
  type ScaleJob,
  scaledDrawing,
  scaledRegion,
  scalingBytes,
  type TileJob,
  type TileThreads,
  whyNotEncoded,
} from "../../fast-jpeg/index.ts";
import type { LevelPart, ScaledPart } from "../../shared/index.ts";
import type { TileKind } from "../../tiff/codecs/index.ts";
import { compressions } from "../../tiff/structure/index.ts";
import type { JpegForm } from "../codestream/index.ts";
import type { Jp2Level } from "./levels.ts";
import type { RegionPixels } from "./pixel-cache.ts";

/** The level that JPEGs are made of, and their encoder. */
export interface DrawingMeans {
  readonly threads: TileThreads;
  readonly level: Jp2Level;
  /** Of a pixel. */
  readonly samples: 1 | 3;
  /** The colours' profile, if any. */
  readonly profile: Uint8Array | undefined;
}

/** The decoded input of JPEGs. */
export interface Drawing extends DrawingMeans {
  /** The pixels of a region of the level. */
  readonly read: (region: Rect) => Steps<RegionPixels>;
  /**
   * A JPEG of a region whose pixels no other request is likely to need; undefined where it has to
   * be made of the result of `read`.
   */
  readonly encode: (region: Rect, form: JpegForm) => Steps<Uint8Array | undefined>;
}

/** More pixels are encoded by separate threads. */
const maxAtOnce = 262_144;

/**
 * A JPEG of a part of a level with the plan's encoding; undefined where libvips has to render it.
 */
export function* recodeLevel(
  means: Drawing,
  { region, profiled }: Pick<LevelPart, "region" | "profiled">,
  plan: Plan,
): Steps<Uint8Array | undefined> {
  const encoding = jpegEncodingOf(plan);
  if (encoding === undefined || whyNotRecoded(region, plan) !== undefined) return undefined;
  if (cannotCarry(means, profiled)) return undefined;
  if (area(region) <= maxAtOnce) {
    const jpeg = yield* means.encode(region, encoding);
    const profile = profileOf(means, profiled);
    if (jpeg !== undefined) return profile ? withProfile(jpeg, profile) : jpeg;
  }
  const job = { ...tileOf(means, region, yield* means.read(region)), ...encoding };
  return yield* encoded(drawing(means.threads, job), profileOf(means, profiled));
}

/** Why `recodeLevel` has no result for a region of plain pixels; undefined where it has one. */
export const whyNotRecoded = (region: Rect, plan: Plan): string | undefined => {
  const isLarge =
    area(region) > maxJobPixels || Math.max(region.width, region.height) > maxJpegSide;
  return whyNotEncoded(plan) ?? (isLarge ? "it is too large for a thread" : undefined);
};

/** As `recodeLevel`, of a part that is downscaled, in at most `max` bytes of memory. */
export function* scaleLevel(
  means: Drawing,
  part: Pick<ScaledPart, "axes" | "profiled">,
  plan: Plan,
  max: number,
): Steps<Uint8Array | undefined> {
  const wanted = wantedOf(means, part, plan, max);
  if (wanted === undefined || cannotCarry(means, part.profiled)) return undefined;
  const { region } = wanted;
  const job = { ...tileOf(means, region, yield* means.read(region)), ...wanted };
  const isHere = area(region) <= maxScaledAtOnce;
  const drawn = scaledDrawing(means.threads, job, isHere);
  return yield* encoded(drawn, profileOf(means, part.profiled));
}

/** More pixels are downscaled by threads. */
const maxScaledAtOnce = 1_048_576;

/**
 * What a thread has to know of an image besides its pixels; undefined where libvips has to render
 * it.
 */
const wantedOf = (
  { level, samples }: DrawingMeans,
  { axes }: Pick<ScaledPart, "axes">,
  plan: Plan,
  max: number,
): Omit<ScaleJob, keyof TileKind | "tiles" | "decoded" | "left"> | undefined => {
  const encoding = jpegEncodingOf(plan);
  const factor = 2 ** level.reduce;
  const { size } = level;
  const covers = { x: 0, y: 0, width: size.width * factor, height: size.height * factor };
  const scaling = { ...axes({ size, covers }), filter: plan.downscaleFilter };
  const region = scaledRegion(size, scaling);
  if (encoding === undefined || region === undefined || area(region) > maxJobPixels)
    return undefined;
  const bytes = scalingBytes({ ...scaling, tile: region, samples, columns: 1 });
  if (bytes > Math.min(max, maxJobBytes)) return undefined;
  return { ...encoding, ...scaling, region, columns: 1, level: size };
};

/** Pixels as an uncompressed tile. */
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

/** Whether a required profile is missing. */
const cannotCarry = ({ profile }: DrawingMeans, profiled: boolean): boolean =>
  profiled && profile === undefined;

const profileOf = ({ profile }: DrawingMeans, profiled: boolean): Uint8Array | undefined =>
  profiled ? profile : undefined;
