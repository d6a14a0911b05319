import { area } from "../../../core/geometry.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Steps } from "../../../core/steps.ts";
import {
  type DecodedTiles,
  jpegEncodingOf,
  maxJobBytes,
  maxJobPixels,
  type ScaleJob,
  type Scaling,
  scaledDrawing,
  scaledRegion,
  scalingBytes,
} from "../../fast-jpeg/index.ts";
import type { ScaledPart } from "../../shared/index.ts";
import type { TileKind } from "../codecs/index.ts";
import type { StoredLevel } from "../structure/index.ts";
import { readForThreads } from "./direct.ts";
import { whyNotRecoded } from "./recode.ts";
import { type Recoding, recoded } from "./recoding.ts";
import { tilesAround } from "./tiles.ts";

/** Maximum number of stored tiles; more occupy a thread for too long. */
const maxTiles = 1_024;

/** The level, the threads that downscale it, and the limits. */
export interface ScalingMeans extends Recoding {
  /** Bytes of memory. */
  readonly max: number;
  /** Absent: decoded tiles are not cached. */
  readonly decoded: DecodedTiles | undefined;
}

/**
 * A JPEG of a part of a level at another scale, in at most `max` bytes of memory; undefined where
 * libvips has to render it.
 */
export const scalePart = (
  { file, level, threads, max, decoded }: ScalingMeans,
  { axes, profiled }: Pick<ScaledPart, "axes" | "profiled">,
  plan: Plan,
): Steps<Uint8Array | undefined> | undefined => {
  const wanted = wantedOf(level, { axes, max }, plan);
  if (wanted === undefined) return undefined;
  const { region } = wanted;
  const kept = file.kept && decoded?.of(file.kept, level);
  const reading = readForThreads(file, level, { region, max: maxJobPixels, decoded: kept });
  return recoded({ file, level }, { profiled }, reading, ({ job, isDecoded }) =>
    // Decoding takes longer than all else: tiles that have to be decoded first are for a thread.
    scaledDrawing(threads, { ...job, ...wanted, decoded: kept }, isDecoded),
  );
};

type ScaleRequest = Omit<ScaleJob, keyof TileKind | "tiles" | "decoded" | "left">;

/**
 * What a thread has to know of an image besides its tiles; undefined where libvips has to render
 * it.
 */
const wantedOf = (
  level: StoredLevel,
  { axes, max }: Pick<ScaledPart, "axes"> & { readonly max: number },
  plan: Plan,
): ScaleRequest | undefined => {
  const encoding = jpegEncodingOf(plan);
  if (encoding === undefined || whyNotRecoded(level, plan) !== undefined) return undefined;
  const { size, factor } = level;
  const covers = {
    x: 0,
    y: 0,
    width: size.width * factor.width,
    height: size.height * factor.height,
  };
  const scaling = scalingOf(level, { ...axes({ size, covers }), filter: plan.downscaleFilter });
  if (scaling === undefined || scaling.bytes > Math.min(max, maxJobBytes)) return undefined;
  const { region, columns, across, down, filter } = scaling;
  return { ...encoding, region, columns, across, down, filter, level: size };
};

interface Measured extends Scaling, Pick<ScaleJob, "region" | "columns"> {
  readonly bytes: number;
}

/** The needed part of the level, and its cost; undefined where that is too much. */
const scalingOf = (level: StoredLevel, scaling: Scaling): Measured | undefined => {
  const { size, tile, samples } = level;
  if (samples !== 1 && samples !== 3) return undefined;
  const region = scaledRegion(size, scaling);
  if (region === undefined) return undefined;
  const around = tilesAround(level, region);
  const columns = Math.ceil(around.width / tile.width);
  const tiles = columns * Math.ceil(around.height / tile.height);
  if (tiles > maxTiles || tiles * area(tile) > maxJobPixels) return undefined;
  const bytes = scalingBytes({ ...scaling, tile, samples, columns });
  return { ...scaling, region, columns, bytes };
};
