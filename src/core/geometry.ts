/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in pixels; the origin is the top left corner. */
export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

/** Exif orientation, 1 (upright) to 8. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/**
 * Rounds half up, as all dimensions of the Image API are rounded here (3.0 §4.2 leaves it open; the
 * worked examples of §4.1 require it). The only place that decides rounding.
 */
export const round = (value: number): number => Math.floor(value + 0.5);

/** Rounds up, ignoring the tiny excess over a whole number that divisions produce. */
export const roundUp = (value: number): number => Math.ceil(value - hair);

/** Rounds down, ignoring the tiny deficit to a whole number that divisions produce. */
export const roundDown = (value: number): number => Math.floor(value + hair);

const hair = 1e-9;

/** True when showing the image upright swaps width and height. */
const swapsAxes = (orientation: Orientation): boolean => orientation >= 5;

/** The size as seen upright. */
export const upright = (size: Size, orientation: Orientation): Size =>
  swapsAxes(orientation) ? { width: size.height, height: size.width } : size;

/**
 * The operations that turn a stored image of an orientation upright: first mirrored left to right
 * where `mirror`, then rotated clockwise by `turns` quarter turns.
 */
export const toUpright = (
  orientation: Orientation,
): { readonly mirror: boolean; readonly turns: 0 | 1 | 2 | 3 } => {
  switch (orientation) {
    case 1:
      return { mirror: false, turns: 0 };
    case 2:
      return { mirror: true, turns: 0 };
    case 3:
      return { mirror: false, turns: 2 };
    case 4:
      return { mirror: true, turns: 2 };
    case 5:
      return { mirror: true, turns: 3 };
    case 6:
      return { mirror: false, turns: 1 };
    case 7:
      return { mirror: true, turns: 1 };
    case 8:
      return { mirror: false, turns: 3 };
  }
};

/**
 * The position of a rectangle of the upright page in the page as stored; `stored` is the stored
 * size.
 */
export const asStored = (rect: Rect, stored: Size, orientation: Orientation): Rect => {
  const { mirror, turns } = toUpright(orientation);
  const { x, y, width, height } = rect;
  const page = upright(stored, orientation);
  // Undo the rotation, then the mirroring.
  const unturned: Rect =
    turns === 0
      ? rect
      : turns === 1
        ? { x: y, y: page.width - x - width, width: height, height: width }
        : turns === 2
          ? { x: page.width - x - width, y: page.height - y - height, width, height }
          : { x: page.height - y - height, y: x, width: height, height: width };
  return mirror ? { ...unturned, x: stored.width - unturned.x - unturned.width } : unturned;
};

/**
 * The position of a rectangle of the page as stored in the upright page; `stored` is the stored
 * size.
 */
export const asUpright = (rect: Rect, stored: Size, orientation: Orientation): Rect =>
  asStored(rect, upright(stored, orientation), undoing(orientation));

/** All orientations but the quarter turns are their own inverse. */
const undoing = (orientation: Orientation): Orientation =>
  orientation === 6 ? 8 : orientation === 8 ? 6 : orientation;

/** The number of pixels. */
export const area = (size: Size): number => size.width * size.height;

export const sameSize = (one: Size, other: Size): boolean =>
  one.width === other.width && one.height === other.height;

/** The size scaled to a width, preserving its aspect ratio as closely as whole pixels allow. */
export const toWidth = (size: Size, width: number): Size => ({
  width,
  height: round((width * size.height) / size.width),
});

/** The size scaled to a height, preserving its aspect ratio as closely as whole pixels allow. */
export const toHeight = (size: Size, height: number): Size => ({
  width: round((height * size.width) / size.height),
  height,
});

/**
 * The size scaled to fit inside the box, preserving its aspect ratio; the limiting side is met
 * exactly.
 */
export const fitWithin = (size: Size, box: Size): Size =>
  box.width * size.height <= box.height * size.width
    ? toWidth(size, box.width)
    : toHeight(size, box.height);

/** The size with sides of at least one pixel: those of very long images round to none. */
export const atLeastOne = ({ width, height }: Size): Size => ({
  width: Math.max(1, width),
  height: Math.max(1, height),
});

/**
 * The size scaled to at most `pixels` pixels, preserving its aspect ratio; each side stays at least
 * one.
 */
export const fitArea = (size: Size, pixels: number): Size => {
  const scale = Math.sqrt(pixels / area(size));
  const side = (length: number): number => Math.max(1, Math.min(pixels, roundDown(length * scale)));
  const width = side(size.width);
  // A side raised to one pixel leaves less for the other than the scale allows.
  return { width, height: Math.min(side(size.height), Math.max(1, roundDown(pixels / width))) };
};

/** The canvas of an image rotated clockwise by some degrees (3.0 §4.3). */
export const turned = (size: Size, degrees: number): Size => {
  if (degrees % 180 === 0) return { width: size.width, height: size.height };
  if (degrees % 90 === 0) return { width: size.height, height: size.width };
  const radians = (degrees * Math.PI) / 180;
  const cos = Math.abs(Math.cos(radians));
  const sin = Math.abs(Math.sin(radians));
  return {
    width: round(size.width * cos + size.height * sin),
    height: round(size.height * cos + size.width * sin),
  };
};
