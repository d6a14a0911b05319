import { round } from "../core/geometry.ts";

/**
 * One axis of a placement: what is wanted, and what the raster has. Positions are [start, length].
 */
export interface Axis {
  /** Of the full-size page. */
  readonly page: number;
  /** In full-size pixels. */
  readonly crop: readonly [number, number];
  /** Of the crop once scaled. */
  readonly size: number;
  /**
   * For tiles: the reduced page's length, where in it the crop begins, and by what it is reduced.
   */
  readonly grid?:
    | { readonly whole: number; readonly at: number; readonly factor: number }
    | undefined;
  /** What the raster shows, in full-size pixels. */
  readonly covers: readonly [number, number];
  /** Of the raster. */
  readonly pixels: number;
  /**
   * Whether the reduced page is the raster scaled to its length, whatever that makes of the factor.
   */
  readonly stretched: boolean;
  /** Pixels beyond the wanted ones that a later step needs to see, where the page has them. */
  readonly apron: number;
  /** How far the resampling kernel reaches, in pixels of the coarser side. */
  readonly reach: number;
}

/** One axis of a placement, decided. */
export interface Span {
  /** Of the raster: first pixel and how many. */
  readonly from: number;
  readonly length: number;
  /** What they are scaled to. */
  readonly scaled: number;
  /** Of the scaled: first pixel and how many. */
  readonly skip: number;
  readonly keep: number;
  /** Pixels to repeat at the end. */
  readonly missing: number;
  /** Apron before the wanted pixels. */
  readonly lead: number;
  /** Wanted pixels. */
  readonly size: number;
}

/** Output pixels within which a whole raster pixel is looked for to begin or end a cut at. */
const play = 16;

/**
 * Output pixels around a window that resampling needs to have drawn with it; `scale` is full-size
 * pixels per output pixel.
 */
export const marginOf = (reach: number, scale: number): number =>
  Math.ceil(reach * Math.max(1, 1 / scale)) + playOf(scale) + 1;

/** What binary fractions may be off by without meaning it, in pixels. */
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
 * The straight line from output pixels to raster pixels, and the output pixels where the page ends.
 */
interface Line {
  readonly min: number;
  readonly max: number;
  /** Raster pixels to an output pixel. */
  readonly slope: number;
  readonly toRaster: (output: number) => number;
}

/** How positions on one axis of an image and of a raster go together. */
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

/** Full-size pixels to a raster pixel: the whole number that a rounded extent nearly comes to. */
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
 * The output pixels that the raster has in full. A level that rounded its size down lacks the
 * page's last ones, and on a grid a last one that is only partly there counts as missing too: the
 * one before it stands in, as it does in the levels of most pyramids.
 */
const availableOf = (axis: Axis, line: Line, first: number, end: number) => {
  if (!axis.grid) return { there: end, stands: first };
  const there = Math.min(end, lastThere(axis, line) + 1);
  return { there, stands: Math.min(first, there - 1) };
};

/** The last output pixel that a raster has in full. */
export const lastThere = ({ pixels }: Pick<Axis, "pixels">, line: Line): number =>
  Math.max(1, Math.floor((pixels - line.toRaster(0)) / line.slope + slack)) - 1;

const endsHere = ({ grid }: Axis, line: Line, output: number): boolean =>
  grid === undefined && output >= line.max - slack;

/** How much a missing kernel's reach weighs against a cut that is off by a pixel. */
const shortWeight = 0.5;
/** Keeps the margin small where nothing else decides. */
const farWeight = 1e-5;

/**
 * The output pixel at or beyond `wanted` at which to cut: beyond the kernel's reach unless the page
 * ends there, and as near as can be to a boundary between two raster pixels.
 */
const edgeOf = (axis: Axis, line: Line, wanted: number, side: -1 | 1): number => {
  const { slope, toRaster } = line;
  // What is not resampled has no kernel.
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

/** Whether a position in the raster is where the page itself begins or ends. */
const isOuter = ({ covers, pixels, page }: Axis, at: number, side: -1 | 1): boolean => {
  const pixel = covers[1] / pixels;
  return side < 0
    ? at < 0.5 && covers[0] < pixel
    : at > pixels - 0.5 && covers[0] + covers[1] > page - pixel;
};
