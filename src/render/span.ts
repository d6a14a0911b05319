import { round } from "../core/geometry.ts";

/** One axis of a placement: the requested part and the raster. Positions are [start, length]. */
export interface Axis {
  /** Length of the full-size page. */
  readonly page: number;
  /** In full-size pixels. */
  readonly crop: readonly [number, number];
  /** Length of the crop once scaled. */
  readonly size: number;
  /** For tiles: the reduced page's length, the crop's start in it, and the reduction factor. */
  readonly grid?:
    | { readonly whole: number; readonly at: number; readonly factor: number }
    | undefined;
  /** The part that the raster shows, in full-size pixels. */
  readonly covers: readonly [number, number];
  /** Length of the raster. */
  readonly pixels: number;
  /**
   * Whether the reduced page is the raster scaled to its length, even if that is not exactly the
   * factor.
   */
  readonly stretched: boolean;
  /** Pixels beyond the requested ones that a later step needs, where the page has them. */
  readonly apron: number;
  /** Radius of the resampling kernel, in pixels of the coarser side. */
  readonly reach: number;
}

/** One axis of a placement, decided. */
export interface Span {
  /** Of the raster: first pixel and count. */
  readonly from: number;
  readonly length: number;
  /** Their scaled length. */
  readonly scaled: number;
  /** Of the scaled pixels: first pixel and count. */
  readonly skip: number;
  readonly keep: number;
  /** Pixels to repeat at the end. */
  readonly missing: number;
  /** Apron before the requested pixels. */
  readonly lead: number;
  /** Requested pixels. */
  readonly size: number;
}

/** Output pixels within which to look for a whole raster pixel at which to cut. */
const play = 16;

/**
 * Output pixels around a window that resampling needs; `scale` is full-size pixels per output
 * pixel.
 */
export const marginOf = (reach: number, scale: number): number =>
  Math.ceil(reach * Math.max(1, 1 / scale)) + playOf(scale) + 1;

/** Tolerance for floating-point errors, in pixels. */
const slack = 1e-6;

const playOf = (scale: number): number => Math.max(play, Math.ceil(1 / scale));

/** Decides one axis. */
export const spanOf = (axis: Axis): Span => {
  const line = lineOf(axis);
  const start = axis.grid?.at ?? 0;
  const stop = start + axis.size;
  const first = Math.min(start, Math.max(Math.ceil(line.min - slack), start - axis.apron));
  const end = Math.max(stop, Math.min(Math.floor(line.max + slack), stop + axis.apron));
  return { ...cutOf(axis, line, first, end), lead: start - first, size: axis.size };
};

/**
 * The linear map from output pixels to raster pixels, and the output pixels where the page ends.
 */
interface Line {
  readonly min: number;
  readonly max: number;
  /** Raster pixels per output pixel. */
  readonly slope: number;
  readonly toRaster: (output: number) => number;
}

/** How positions on one axis of an image and of a raster correspond. */
export const lineOf = ({
  page,
  crop,
  size,
  grid,
  covers,
  pixels,
}: Omit<Axis, "stretched" | "apron" | "reach">): Line => {
  const perOutput = grid ? grid.factor : crop[1] / size;
  const begin = grid ? 0 : crop[0];
  const perRaster = factorOf(covers[1] / pixels, pixels);
  const origin = (covers[0] * pixels) / covers[1];
  return {
    min: -begin / perOutput,
    max: grid ? grid.whole : (page - begin) / perOutput,
    slope: perOutput / perRaster,
    toRaster: (output) => (begin + output * perOutput) / perRaster - origin,
  };
};

/** Full-size pixels per raster pixel: a whole number where a rounded extent nearly is one. */
const factorOf = (ratio: number, pixels: number): number => {
  const nearest = Math.max(1, round(ratio));
  return Math.abs(ratio - nearest) * pixels < nearest ? nearest : ratio;
};

type Cut = Omit<Span, "lead" | "size">;

const cutOf = (axis: Axis, line: Line, first: number, end: number): Cut => {
  const { pixels, grid } = axis;
  if (grid && axis.stretched)
    return {
      from: 0,
      length: pixels,
      scaled: grid.whole,
      skip: first,
      keep: end - first,
      missing: 0,
    };
  const { there, stands } = availableOf(axis, line, first, end);
  const a = edgeOf(axis, line, stands, -1);
  const b = edgeOf(axis, line, there, 1);
  const from = Math.min(pixels - 1, Math.max(0, round(line.toRaster(a))));
  const to = Math.min(pixels, Math.max(from + 1, round(line.toRaster(b))));
  return {
    from,
    length: (endsHere(axis, line, b) && pixels - to <= 1 ? pixels : to) - from,
    scaled: b - a,
    skip: stands - a,
    keep: there - stands,
    missing: end - first - (there - stands),
  };
};

/**
 * The output pixels that the raster covers in full. A level whose size was rounded down lacks the
 * page's last ones, and on a grid a partly covered last one counts as missing too: the one before
 * it is repeated, as in the levels of most pyramids.
 */
const availableOf = (axis: Axis, line: Line, first: number, end: number) => {
  if (!axis.grid) return { there: end, stands: first };
  const there = Math.min(end, lastCovered(axis, line) + 1);
  return { there, stands: Math.min(first, there - 1) };
};

/** The last output pixel that a raster covers in full. */
export const lastCovered = ({ pixels }: Pick<Axis, "pixels">, line: Line): number =>
  Math.max(1, Math.floor((pixels - line.toRaster(0)) / line.slope + slack)) - 1;

const endsHere = ({ grid }: Axis, line: Line, output: number): boolean =>
  grid === undefined && output >= line.max - slack;

/** Weight of missing kernel support against a cut that is off by a pixel. */
const shortWeight = 0.5;
/** Keeps the margin small where nothing else decides. */
const farWeight = 1e-5;

/**
 * The output pixel at or beyond `wanted` at which to cut: beyond the kernel's radius unless the
 * page ends there, and as close as possible to a boundary between two raster pixels.
 */
const edgeOf = (axis: Axis, line: Line, wanted: number, side: -1 | 1): number => {
  const { slope, toRaster } = line;
  // Without resampling there is no kernel.
  if (slope === 1 && Number.isInteger(toRaster(wanted))) return wanted;
  const reach = Math.ceil(axis.reach * Math.max(1, 1 / slope));
  const limit =
    side < 0
      ? Math.max(line.min, -toRaster(0) / slope)
      : Math.min(line.max, (axis.pixels - toRaster(0)) / slope);
  const room = Math.max(0, Math.floor(side * (limit - wanted) + slack));
  const farthest = Math.min(room, reach + playOf(slope));
  let best = 0;
  let min = Number.POSITIVE_INFINITY;
  for (let distance = 0; distance <= farthest; distance++) {
    const at = toRaster(wanted + side * distance);
    const off = Math.abs(at - round(at)) / Math.max(1, slope);
    const short = isOuter(axis, at, side) ? 0 : Math.max(0, reach - distance) / reach;
    const cost = off + short * shortWeight + distance * farWeight;
    if (cost < min) {
      min = cost;
      best = distance;
    }
  }
  return wanted + side * best;
};

/** Whether a position in the raster is the beginning or the end of the page. */
const isOuter = ({ covers, pixels, page }: Axis, at: number, side: -1 | 1): boolean => {
  const pixel = covers[1] / pixels;
  return side < 0
    ? at < 0.5 && covers[0] < pixel
    : at > pixels - 0.5 && covers[0] + covers[1] > page - pixel;
};
