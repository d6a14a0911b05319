import { area, type Rect } from "../core/geometry.ts";
import type { Plan } from "../core/plan.ts";
import type { Steps } from "../core/steps.ts";
import type { ScaledPart } from "./codec.ts";
import type { DecodedTiles } from "./decoded-tiles.ts";
import { encodingFor, type Recoding, recoded } from "./recoding.ts";
import { extentOf, mostTaps } from "./scaling-weights.ts";
import { readForThreads } from "./tiff-direct.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { whyNotRecoded } from "./tiff-recode.ts";
import { tilesAround } from "./tiff-tiles.ts";
import type { ScaleJob, TileKind } from "./tile-job.ts";
import { scalingBytes } from "./tile-scaling.ts";
import { scaledDrawing } from "./tile-work.ts";

/** Tiles beyond this many pixels in sum, or this many, keep a thread for too long. */
const mostPixels = 8_388_608;
const mostTiles = 1_024;
/** Of memory that a thread then keeps. */
const mostBytes = 67_108_864;
/** Weights to a pixel along one axis. */
const mostWeights = 256;
/** Level pixels to a pixel of the picture: less is more than what rounding of sides makes. */
const leastStep = 0.9;
/** A JPEG's (ISO/IEC 10918-1, B.2.2), as far as libjpeg goes. */
const longestSide = 65_500;

/** The level, who reduces it, and within what bounds. */
export interface ScalingMeans extends Recoding {
  /** Bytes of memory. */
  readonly most: number;
  /** Absent: decoded tiles are not kept. */
  readonly decoded: DecodedTiles | undefined;
}

/** A JPEG of a part of a level at another scale, in at most `most` bytes of memory; undefined where libvips has to draw it. */
export const scalePart = (
  { file, level, threads, most, decoded }: ScalingMeans,
  { axes, profiled }: Pick<ScaledPart, "axes" | "profiled">,
  plan: Plan,
): Steps<Uint8Array | undefined> | undefined => {
  const wanted = wantedOf(level, { axes, most }, plan);
  if (wanted === undefined) return undefined;
  const { region } = wanted;
  const kept = file.kept && decoded?.of(file.kept, level);
  const reading = readForThreads(file, level, { region, most: mostPixels, decoded: kept });
  return recoded({ file, level }, { profiled }, reading, ({ job, isDecoded }) =>
    // Decoding takes longer than all else: what is to be decoded first is for a thread.
    scaledDrawing(threads, { ...job, ...wanted, decoded: kept }, isDecoded),
  );
};

type Wanted = Omit<ScaleJob, keyof TileKind | "tiles" | "decoded" | "left">;

/** What a thread has to know of a picture beside its tiles; undefined where libvips has to draw it. */
const wantedOf = (
  level: StoredLevel,
  { axes, most }: Pick<ScaledPart, "axes"> & { readonly most: number },
  plan: Plan,
): Wanted | undefined => {
  const encoding = encodingFor(plan);
  if (encoding === undefined || whyNotRecoded(level, plan) !== undefined) return undefined;
  const { size, factor } = level;
  const covers = {
    x: 0,
    y: 0,
    width: size.width * factor.width,
    height: size.height * factor.height,
  };
  const scaling = scalingOf(level, { ...axes({ size, covers }), filter: plan.downscaleFilter });
  if (scaling === undefined || scaling.bytes > Math.min(most, mostBytes)) return undefined;
  const { region, columns, across, down, filter } = scaling;
  return { ...encoding, region, columns, across, down, filter, level: size };
};

type Scaling = Pick<ScaleJob, "across" | "down" | "filter">;

interface Measured extends Scaling, Pick<ScaleJob, "region" | "columns"> {
  readonly bytes: number;
}

/** What of the level is needed, and what it takes; undefined where that is too much. */
const scalingOf = (level: StoredLevel, scaling: Scaling): Measured | undefined => {
  const { across, down, filter } = scaling;
  const { size, tile, samples } = level;
  if (samples !== 1 && samples !== 3) return undefined;
  for (const { step, count } of [across, down])
    if (step < leastStep || mostTaps(step, filter) > mostWeights || count > longestSide)
      return undefined;
  const [x, right] = extentOf(across, filter, size.width);
  const [y, bottom] = extentOf(down, filter, size.height);
  const region: Rect = { x, y, width: right - x, height: bottom - y };
  const around = tilesAround(level, region);
  const columns = Math.ceil(around.width / tile.width);
  const tiles = columns * Math.ceil(around.height / tile.height);
  if (tiles > mostTiles || tiles * area(tile) > mostPixels) return undefined;
  const bytes = scalingBytes({ ...scaling, tile, samples, columns });
  return { ...scaling, region, columns, bytes };
};
