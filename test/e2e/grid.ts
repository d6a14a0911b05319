import sharp, { type Sharp } from "sharp";
import { random } from "../random.ts";

export type Rgb = readonly [red: number, green: number, blue: number];

/**
 * An image of coloured squares: the colour at any point is known, so any response can be checked.
 */
export interface Grid {
  readonly width: number;
  readonly height: number;
  /** The side of a square, in pixels. */
  readonly square: number;
  /** The colour of the full-size pixel at a point (in pixels, may be fractional). */
  colourAt(x: number, y: number): Rgb;
  /** The pixels, three bytes each. */
  readonly pixels: Buffer;
}

/** Draws a grid of squares; the seed decides the colours. */
export const drawGrid = (
  width: number,
  height: number,
  { square, seed }: { readonly square: number; readonly seed: number },
): Grid => {
  const columns = Math.ceil(width / square);
  const dice = random(seed);
  const colours = Array.from(
    { length: columns * Math.ceil(height / square) },
    (): Rgb => [dice.whole(0, 255), dice.whole(0, 255), dice.whole(0, 255)],
  );
  const colourAt = (x: number, y: number): Rgb => {
    const colour = colours[Math.floor(y / square) * columns + Math.floor(x / square)];
    if (colour === undefined || x < 0 || x >= width)
      throw new Error(`Expected a point inside ${width}×${height}, got ${x},${y}`);
    return colour;
  };
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) pixels.set(colourAt(x, y), (y * width + x) * 3);
  return { width, height, square, colourAt, pixels };
};

/** The grid as a sharp image, to be written in any format. */
export const asImage = ({ pixels, width, height }: Grid): Sharp =>
  sharp(pixels, { raw: { width, height, channels: 3 } });

/** Which part of a grid a response shows, and how. */
export interface Shown {
  /** x, y, width, height in the grid's pixels. */
  readonly region: readonly [number, number, number, number];
  /** Size the region is scaled to, before rotation. */
  readonly size: readonly [number, number];
  /** Left and right swapped, before rotation. */
  readonly mirror?: true;
  /** Quarter turns clockwise. */
  readonly turns?: 0 | 1 | 2 | 3;
}

/** Size of the response. */
export const shownSize = ({ size: [width, height], turns = 0 }: Shown): [number, number] =>
  turns % 2 === 1 ? [height, width] : [width, height];

/** The point of the grid at a point of the response. */
export const originOf = (shown: Shown, x: number, y: number): readonly [number, number] => {
  const [left, top, w, h] = shown.region;
  const [width, height] = shown.size;
  const [turnedX, turnedY] = unturned(shown, x, y);
  const straight = shown.mirror ? width - turnedX : turnedX;
  return [left + (straight * w) / width, top + (turnedY * h) / height];
};

const unturned = ({ size: [width, height], turns = 0 }: Shown, x: number, y: number) => {
  if (turns === 1) return [y, height - x] as const;
  if (turns === 2) return [width - x, height - y] as const;
  if (turns === 3) return [width - y, x] as const;
  return [x, y] as const;
};
