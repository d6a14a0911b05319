import { type Rect, type Size, sameSize, toWidth } from "../core/geometry.ts";
import type { TileOffer } from "./tile-offer.ts";

/** A grid of tiles at one scale factor. */
export interface TileLevel {
  /** 1, 2, 4 … */
  readonly factor: number;
  /** Of the whole image at this scale. */
  readonly size: Size;
  readonly tile: Size;
  readonly columns: number;
  readonly rows: number;
}

/** A request for a tile, or for a size of the whole image. */
export interface TileRequest {
  /** In pixels of the image at full size. */
  readonly region: Rect;
  /** Of the response in pixels. */
  readonly size: Size;
  /** `region/size/rotation/quality.format`, as it follows the identifier in a URL. */
  readonly path: string;
}

/** The form of requests. */
export interface TileSpelling {
  /** A file extension; default: the first preferred format that browsers support, else `jpg`. */
  readonly format?: string;
  /**
   * `viewer` (default): the URLs of OpenSeadragon since version 4, for level 0 as well. `width`:
   * its URLs before, `w,` in versions 1 and 2. `canonical`: 2.1 and 3.0 §4.7; in version 1, as in
   * 2.
   */
  readonly sizes?: "viewer" | "width" | "canonical";
}

/**
 * The levels that OpenSeadragon shows, smallest first; none if no tiles are offered. It uses the
 * listed sizes if there is one for each scale factor, else divides and rounds up.
 */
export const tileLevels = (offer: TileOffer): readonly TileLevel[] => {
  const factors = offer.tiles.flatMap(({ scaleFactors }) => scaleFactors);
  const [first] = offer.tiles;
  if (first === undefined || factors.length === 0) return [];
  // Later ones override earlier ones, as in OpenSeadragon.
  const tileOf = new Map(
    offer.tiles.flatMap((tile) => tile.scaleFactors.map((factor) => [factor, tile] as const)),
  );
  const top = Math.round(Math.log2(Math.max(...factors)));
  const listed = listedLevels(offer, factors, top);
  return Array.from({ length: top + 1 }, (_, level) => {
    const factor = 2 ** (top - level);
    const size = listed?.[level] ?? {
      width: Math.ceil(offer.width / factor),
      height: Math.ceil(offer.height / factor),
    };
    const { width, height } = tileOf.get(factor) ?? first;
    return {
      factor,
      size,
      tile: { width, height },
      columns: Math.ceil(size.width / width),
      rows: Math.ceil(size.height / height),
    };
  });
};

/** The listed sizes and full size, if they are the levels. */
const listedLevels = (
  { width, height, sizes }: TileOffer,
  factors: readonly number[],
  top: number,
): readonly Size[] | undefined => {
  const sorted = [...sizes].sort((one, other) => one.width - other.width);
  const largest = sorted.at(-1);
  if (largest === undefined) return undefined;
  if (largest.width < width && largest.height < height) sorted.push({ width, height });
  if (sorted.length !== top + 1) return undefined;
  const fits = sorted.every((size, n) => {
    const factor = factors[sorted.length - n - 1];
    return Math.round(width / size.width) === factor && Math.round(height / size.height) === factor;
  });
  // Missing factors cannot be compared.
  return fits || factors.length !== sorted.length ? sorted : undefined;
};

/**
 * Whether viewers would take ascending sizes for the levels of an image, though they are not:
 * OpenSeadragon does so if there is one for each scale factor, the full size perhaps not listed, and
 * then requests distorted tiles, or some beyond the edge.
 */
export const passForLevels = (
  sizes: readonly Size[],
  whole: Size,
  scaleFactors: number,
): boolean => {
  const levels = sizes.length === scaleFactors ? sizes : [...sizes, whole];
  if (levels.length !== scaleFactors) return false;
  return !levels.every(({ width, height }, level) => {
    const factor = 2 ** (scaleFactors - 1 - level);
    const isClose = (side: number, full: number): boolean => Math.abs(side - full / factor) <= 1;
    return isClose(width, whole.width) && isClose(height, whole.height);
  });
};

/** The requests for the tiles of a level, row by row. */
export function* tilesOfLevel(
  offer: TileOffer,
  { factor, size, tile, columns, rows }: TileLevel,
  spelling: TileSpelling = {},
): Generator<TileRequest> {
  if (size.width < tile.width && size.height < tile.height) {
    yield wholeRequest(offer, size, spelling);
    return;
  }
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const [x, y] = [column * tile.width * factor, row * tile.height * factor];
      const region = {
        x,
        y,
        width: Math.min(tile.width * factor, offer.width - x),
        height: Math.min(tile.height * factor, offer.height - y),
      };
      const wanted = {
        width: Math.min(tile.width, size.width - column * tile.width),
        height: Math.min(tile.height, size.height - row * tile.height),
      };
      yield requestOf(offer, { region, size: wanted }, spelling, tileSize);
    }
}

/** The requests for the listed sizes, in their order. */
export const sizeRequests = (
  offer: TileOffer,
  spelling: TileSpelling = {},
): readonly TileRequest[] => offer.sizes.map((size) => wholeRequest(offer, size, spelling));

const wholeRequest = (offer: TileOffer, size: Size, spelling: TileSpelling): TileRequest => {
  const region = { x: 0, y: 0, width: offer.width, height: offer.height };
  return requestOf(offer, { region, size }, spelling, wholeSize);
};

type Wanted = Pick<TileRequest, "region" | "size">;

const requestOf = (
  offer: TileOffer,
  wanted: Wanted,
  spelling: TileSpelling,
  viewerSize: (offer: TileOffer, wanted: Wanted) => string,
): TileRequest => {
  const { x, y, width, height } = wanted.region;
  const region = sameSize(wanted.region, offer) ? "full" : `${x},${y},${width},${height}`;
  const { sizes = "viewer", format = formatOf(offer) } = spelling;
  const size = sizes === "canonical" ? canonicalSize(offer, wanted) : keywordOf(offer, wanted);
  const spelled = size ?? (sizes === "width" ? byWidth(offer, wanted) : viewerSize(offer, wanted));
  const quality = offer.version === 1 ? "native" : "default";
  return { ...wanted, path: `${region}/${spelled}/0/${quality}.${format}` };
};

/** OpenSeadragon's size keyword for a response of full size; in version 2, only for its width. */
const keywordOf = (offer: TileOffer, { size }: Wanted): string | undefined => {
  if (offer.version === 2 && size.width === offer.width) return "full";
  return offer.version === 3 && sameSize(size, offer) ? "max" : undefined;
};

const byWidth = ({ version }: TileOffer, { size }: Wanted): string =>
  version === 3 ? bothSides(size) : `${size.width},`;

const wholeSize = byWidth;

const tileSize = (offer: TileOffer, wanted: Wanted): string =>
  offer.isLevel0 ? byWidth(offer, wanted) : bothSides(wanted.size);

const canonicalSize = ({ version }: TileOffer, { region, size }: Wanted): string => {
  if (sameSize(size, region)) return version === 3 ? "max" : "full";
  if (version === 3) return bothSides(size);
  return sameSize(size, toWidth(region, size.width)) ? `${size.width},` : bothSides(size);
};

const bothSides = ({ width, height }: Size): string => `${width},${height}`;

/** The format that OpenSeadragon chooses. */
const formatOf = ({ preferredFormats }: TileOffer): string =>
  preferredFormats.find((format) => shown.has(format)) ?? "jpg";

const shown: ReadonlySet<string> = new Set(["avif", "jpeg", "jpg", "png", "webp"]);
