import sharp, { type Sharp } from "sharp";
import { area, type Size, upright } from "../core/geometry.ts";
import type { ImageInfo, Page } from "../core/info.ts";
import type { Plan } from "../core/plan.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { FinalPart, Raster } from "../formats/shared/index.ts";
import { type ColourTreatment, setColourSpace, treatmentOf } from "./colour.ts";
import { type Grid, isInParts, type RequestedPart } from "./geometry.ts";
import type { Colouring } from "./picture.ts";
import { draw } from "./settle.ts";

/**
 * A page that is read as a whole, scaled to the reduced size that its tiles of one scale factor are
 * cut from: the tiles of a view share one decoding.
 */
export interface Overview {
  /** An uncompressed TIFF in tiles, with the page's colours treated. */
  readonly pixels: Uint8Array;
  readonly size: Size;
  readonly look: Colouring;
  /** The raster it was scaled from. */
  readonly raster: Pick<Raster, "size" | "covers">;
}

/** An overview of an image, without its pixels. */
export interface OverviewKind {
  /** Equal for all plans for an image that the same overview serves. */
  readonly key: string;
  /** Its size in memory, in bytes. */
  readonly bytes: number;
}

/** How to make an overview. */
export interface OverviewJob extends OverviewKind {
  /** Of the image. */
  readonly info: ImageInfo;
  /** How many rows of the overview, from the top, the plan's result is cut from. */
  rowsIn(overview: Overview): number;
  /**
   * Throws as `render` does. `grown` gets the incomplete result each time more of it is final, and
   * with 0 rows if earlier parts are void.
   */
  make(reader: RangeReader, signal: AbortSignal, grown?: TakeGrowing): Promise<Overview>;
}

/** Takes an overview that is still being made, and how much of it is final. */
export type TakeGrowing = (overview: Overview, final: FinalPart) => void;

/** The overview that a plan's result is one of several parts of; undefined where there is none. */
export const sharedBy = (
  plan: Plan,
  page: Page,
  { grid }: RequestedPart,
): OverviewKind | undefined => {
  if (!grid?.stretched || plan.linear || plan.cover?.redactions.length) return undefined;
  if (isInParts(page)) return undefined;
  // Without other parts, it is a response by itself, which the derivative cache holds.
  if (area(grid.window) === area(grid.whole) && !isSmallLevel(page, grid)) return undefined;
  const treatment = treatmentOf(plan, page.colour);
  return {
    key: keyOf(plan, grid.whole, treatment),
    bytes: area(grid.whole) * bytesPerPixel(page, treatment),
  };
};

/**
 * The key of the overview that has the pixels of a level of the page's pyramid, whose size is given
 * upright; undefined where overviews differ from levels in transparency or depth. Overviews are
 * oriented as the page is stored.
 */
export const levelOverviewKey = (plan: Plan, page: Page, level: Size): string | undefined => {
  const treatment = treatmentOf(plan, page.colour);
  if (page.colour.alpha || page.colour.bits > 8) return undefined;
  if (plan.linear || plan.sharpen > 0) return undefined;
  return keyOf(plan, upright(level, page.orientation), treatment);
};

/**
 * Whether a whole reduced page is a small level of a large one, which is remembered for a pyramid:
 * see `levelOverviewKey`.
 */
const isSmallLevel = ({ size }: Page, { whole }: Grid): boolean =>
  area(whole) <= maxSmallLevel && area(size) >= minLargePage;

/** In pixels: a tile of 512 x 512. */
const maxSmallLevel = 262_144;

/** In pixels: decoding that many takes much longer than cutting a response from an overview. */
const minLargePage = 4_000_000;

const keyOf = (
  { page, downscaleFilter }: Plan,
  { width, height }: Size,
  treatment: ColourTreatment,
): string => `${page}/${width}x${height}/${downscaleFilter}/${JSON.stringify(treatment)}`;

/** Writes a scaled page to memory, with the resolution of the page, which responses state. */
export const overviewPixels = (image: Sharp): Promise<Uint8Array> =>
  draw(async () => {
    const { density } = await image.metadata();
    return image
      .tiff({
        ...{ compression: "none", predictor: "none" },
        ...{ tile: true, tileWidth: tile, tileHeight: tile },
        ...(density !== undefined && { xres: density / inch, yres: density / inch }),
      })
      .toBuffer();
  });

/** In millimetres. */
const inch = 25.4;

/** The pipeline of an overview. */
export const openOverview = ({ pixels, look }: Pick<Overview, "pixels" | "look">): Sharp =>
  setColourSpace(
    sharp(pixels, { limitInputPixels: false, ignoreIcc: !look.keepsProfile }).timeout({ seconds }),
    look,
  );

/** Sides of its tiles in pixels: of an overview, only a part is read each time. */
const tile = 256;

/** Time limit for a tile of an overview. */
const seconds = 60;

const bytesPerPixel = ({ colour }: Page, { look, background }: ColourTreatment): number => {
  const isGrey = look.space === "b-w" || look.space === "grey16";
  const isDeep = look.space === "rgb16" || look.space === "grey16";
  const samples = (isGrey ? 1 : 3) + (colour.alpha && background === undefined ? 1 : 0);
  return samples * (isDeep ? 2 : 1);
};
