import { area, asStored, type Rect, type Size, upright } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import type { ResolvedRequest } from "../core/plan.ts";
import type { Raster, Window } from "../formats/shared/index.ts";
import { marginOf, type Span, spanOf } from "./span.ts";

/** The requested part of a page, in coordinates of the page as stored. */
export interface RequestedPart {
  readonly page: Size;
  /** In whole full-size pixels. */
  readonly crop: Rect;
  /** Of the crop once scaled. */
  readonly size: Size;
  /** Set when the request is a tile of the page reduced by a whole factor. */
  readonly grid?: Grid;
  /** Pixels beyond `size` that a later step needs around it, where the page has them. */
  readonly apron: number;
  /** Radius of the resampling kernel, in pixels of the coarser side. */
  readonly reach: number;
}

/** The whole page reduced by a factor, and the requested part of it. */
export interface Grid {
  readonly factor: number;
  readonly whole: Size;
  readonly window: Rect;
  /**
   * Whether every tile is cut from the whole page scaled to its reduced size, even if that is not
   * exactly the factor.
   */
  readonly stretched: boolean;
}

/**
 * How a raster becomes the image: cut, scaled, windowed, and extended where the raster is short.
 */
export interface Placement {
  /** In pixels of the raster; absent when all of it is scaled. */
  readonly cut?: Rect;
  /** Absent when nothing is resampled. */
  readonly scaled?: Size;
  /** In pixels of the scaled raster. */
  readonly window?: Rect;
  /** Columns and rows to repeat at the right and the bottom. */
  readonly missing: Size;
  /** Size of the image with its apron. */
  readonly size: Size;
  /** The position of the requested image in it. */
  readonly inner: Rect;
}

/** Converts a resolved request to coordinates of the page as stored. */
export const wantOf = (
  request: ResolvedRequest,
  page: Page,
  kernel: { readonly apron: number; readonly reach: number },
): RequestedPart => {
  const { orientation } = request;
  const grid = gridOf(request.crop, request.size, upright(page.size, orientation));
  return {
    page: page.size,
    crop: asStored(request.crop, page.size, orientation),
    size: upright(request.size, orientation),
    ...kernel,
    ...(grid && {
      grid: {
        factor: grid.factor,
        whole: upright(grid.whole, orientation),
        window: asStored(grid.window, upright(grid.whole, orientation), orientation),
        stretched: isStretched(page, grid),
      },
    }),
  };
};

/**
 * The grid that a tile request belongs to: a whole factor s with the crop's origin on multiples of
 * s, its sides multiples of s or touching the page's far edge, and the size rounded up from sides ÷
 * s.
 */
export const gridOf = (crop: Rect, size: Size, page: Size): Omit<Grid, "stretched"> | undefined => {
  const min = Math.max(minFactor(crop.width, size.width), minFactor(crop.height, size.height));
  const max = Math.min(maxFactor(crop.width, size.width), maxFactor(crop.height, size.height));
  const fits = (s: number): boolean =>
    s >= min &&
    s <= max &&
    crop.x % s === 0 &&
    crop.y % s === 0 &&
    (crop.width % s === 0 || crop.x + crop.width === page.width) &&
    (crop.height % s === 0 || crop.y + crop.height === page.height);
  const factor = factors(min, max).find(fits);
  if (factor === undefined) return undefined;
  return {
    factor,
    whole: { width: Math.ceil(page.width / factor), height: Math.ceil(page.height / factor) },
    window: {
      x: crop.x / factor,
      y: crop.y / factor,
      width: size.width,
      height: size.height,
    },
  };
};

const minFactor = (side: number, scaled: number): number => Math.ceil(side / scaled);

const maxFactor = (side: number, scaled: number): number =>
  scaled > side ? 0 : scaled === 1 ? 2 ** 30 : Math.ceil(side / (scaled - 1)) - 1;

/** Maximum number of candidate factors for a corner tile of few pixels. */
const maxFactors = 256;

/** Powers of two first: viewers zoom by them. */
const factors = (min: number, max: number): readonly number[] => {
  if (max <= min) return max < min ? [] : [min];
  const powers = Array.from({ length: 31 }, (_, n) => 2 ** n).filter((s) => s >= min && s <= max);
  const count = Math.min(max - min + 1, maxFactors);
  return [...powers, ...Array.from({ length: count }, (_, n) => min + n)];
};

/**
 * The window to request from a decoder: the crop, and the surroundings that resampling and later
 * steps need.
 */
export const windowOf = (want: RequestedPart, page: Page, index: number): Window => {
  const { crop, size, grid } = want;
  const scaleX = crop.width / size.width;
  const scaleY = crop.height / size.height;
  const exact = grid ? hasLevel(page, grid.factor) : scaleX === 1 && scaleY === 1;
  const region = grid?.stretched
    ? { x: 0, y: 0, ...want.page }
    : widen(
        crop,
        want.page,
        (want.apron + (exact ? 0 : marginOf(want.reach, scaleX))) * scaleX,
        (want.apron + (exact ? 0 : marginOf(want.reach, scaleY))) * scaleY,
      );
  return {
    page: index,
    region,
    atLeast: {
      width: region.width / (grid?.factor ?? scaleX),
      height: region.height / (grid?.factor ?? scaleY),
    },
  };
};

const hasLevel = (page: Page, factor: number): boolean =>
  page.levels.some(
    ({ size }) =>
      Math.abs(size.width - page.size.width / factor) < 1 &&
      Math.abs(size.height - page.size.height / factor) < 1,
  );

const widen = (rect: Rect, page: Size, x: number, y: number): Rect => {
  const left = Math.max(0, Math.floor(rect.x - x));
  const top = Math.max(0, Math.floor(rect.y - y));
  return {
    x: left,
    y: top,
    width: Math.min(page.width, Math.ceil(rect.x + rect.width + x)) - left,
    height: Math.min(page.height, Math.ceil(rect.y + rect.height + y)) - top,
  };
};

/** How the decoder's raster becomes the requested image. */
export const place = (want: RequestedPart, raster: Pick<Raster, "size" | "covers">): Placement => {
  const { crop, size, grid, page, apron, reach } = want;
  const { covers } = raster;
  const stretched = grid?.stretched === true;
  const x = spanOf({
    page: page.width,
    crop: [crop.x, crop.width],
    size: size.width,
    grid: grid && { factor: grid.factor, whole: grid.whole.width, at: grid.window.x },
    covers: [covers.x, covers.width],
    pixels: raster.size.width,
    stretched,
    apron,
    reach,
  });
  const y = spanOf({
    page: page.height,
    crop: [crop.y, crop.height],
    size: size.height,
    grid: grid && { factor: grid.factor, whole: grid.whole.height, at: grid.window.y },
    covers: [covers.y, covers.height],
    pixels: raster.size.height,
    stretched,
    apron,
    reach,
  });
  return placementOf(x, y, raster.size);
};

/** Pixels of a reduced page that is rendered whole for each of its few tiles. */
const fewPixels = 1_048_576;

/**
 * Tiles of pages that are always read whole are cut from the whole page scaled to its reduced size,
 * which libvips decodes reduced where it can. So are those of small reductions that no level
 * stores: they have to be resampled anyway, and the page's far edge is then placed exactly.
 */
const isStretched = (page: Page, { factor, whole }: Pick<Grid, "factor" | "whole">): boolean =>
  factor !== 1 && (!isInParts(page) || (area(whole) <= fewPixels && !hasLevel(page, factor)));

/** Whether parts of a page can be read separately. */
export const isInParts = ({ levels: [{ size, tile }, ...others] }: Page): boolean =>
  others.length > 0 || tile.width < size.width || tile.height < size.height;

const placementOf = (x: Span, y: Span, raster: Size): Placement => {
  const cut: Rect = { x: x.from, y: y.from, width: x.length, height: y.length };
  const scaled: Size = { width: x.scaled, height: y.scaled };
  const window: Rect = { x: x.skip, y: y.skip, width: x.keep, height: y.keep };
  const resampled = cut.width !== scaled.width || cut.height !== scaled.height;
  return {
    ...(isPart(cut, raster) && { cut }),
    ...(resampled && { scaled }),
    ...(isPart(window, scaled) && { window }),
    missing: { width: x.missing, height: y.missing },
    size: { width: x.keep + x.missing, height: y.keep + y.missing },
    inner: { x: x.lead, y: y.lead, width: x.size, height: y.size },
  };
};

const isPart = (rect: Rect, whole: Size): boolean => area(rect) !== area(whole);
