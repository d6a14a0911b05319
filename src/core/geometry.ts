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
 * Rounds half up, the way every dimension of the Image API is rounded here (3.0 §4.2 leaves it
 * free; the worked examples of §4.1 come out right only so). The one place where rounding is decided.
 */
export const round = (value: number): number => Math.floor(value + 0.5);

/** True when showing the image upright swaps width and height. */
export const swapsAxes = (orientation: Orientation): boolean => orientation >= 5;

/** The size as seen upright. */
export const upright = (size: Size, orientation: Orientation): Size =>
  swapsAxes(orientation) ? { width: size.height, height: size.width } : size;

/**
 * What a stored picture of an orientation needs to stand upright: first mirrored left to right
 * where `mirror`, then turned clockwise by `turns` quarter turns.
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

/** Where a rectangle of the upright page lies in the page as stored; `stored` is the stored size. */
export const asStored = (rect: Rect, stored: Size, orientation: Orientation): Rect => {
  const { mirror, turns } = toUpright(orientation);
  const { x, y, width, height } = rect;
  const page = upright(stored, orientation);
  // Undo the turns, last first.
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

/** The number of pixels. */
export const area = (size: Size): number => size.width * size.height;
