import type { Size } from "../src/core/geometry.ts";

/** The part of the complex plane that a drawing shows: its centre, and the width of one pixel. */
export interface View {
  readonly real: number;
  readonly imaginary: number;
  readonly pixel: number;
}

/** The whole set, with room around it, on a square of `side` pixels. */
export const wholeSet = (side: number): View => ({
  real: -0.62,
  imaginary: 0,
  pixel: 2.84 / side,
});

/**
 * Draws some rows of the Mandelbrot set as 8-bit RGB: outside coloured smoothly by escape time and
 * darkened towards the border by distance, so that filaments finer than a pixel show without noise.
 */
export const drawRows = (view: View, size: Size, first: number, rows: number): Uint8Array => {
  const pixels = new Uint8Array(size.width * rows * 3);
  const palette = makePalette();
  const left = view.real - ((size.width - 1) / 2) * view.pixel;
  const top = view.imaginary + ((size.height - 1) / 2) * view.pixel;
  for (let row = 0; row < rows; row++) {
    const imaginary = top - (first + row) * view.pixel;
    const start = row * size.width * 3;
    const draw = (column: number): number =>
      drawPoint(pixels, start + column * 3, palette, left + column * view.pixel, imaginary) /
      view.pixel;
    let before = draw(0);
    for (let column = 1; column < size.width; ) {
      const end = Math.min(column + stride, size.width) - 1;
      const after = draw(end);
      if (before > farAway && after > farAway) blend(pixels, start, column - 1, end);
      else for (let between = column; between < end; between++) draw(between);
      before = after;
      column = end + 1;
    }
  }
  return pixels;
};

/** So many pixels of a row are looked at together, and blended where nothing is near. */
const stride = 8;

/**
 * In pixels. The border is never nearer than a quarter of the estimated distance (Koebe), so that
 * what lies this far away has no detail within two strides.
 */
const farAway = stride * 8;

const iterations = 1500;

/** Far beyond 2, so that the smooth count and the distance are exact to the eye. */
const bailout = 1e4;

type Colour = readonly [red: number, green: number, blue: number];

/** The colour of the set itself, at its brightest. */
const glow: Colour = [58, 92, 150];

/** Draws one point; returns the distance to the set in the complex plane, 0 inside. */
const drawPoint = (
  pixels: Uint8Array,
  at: number,
  palette: readonly Colour[],
  real: number,
  imaginary: number,
): number => {
  const depth = attraction(real, imaginary);
  if (depth <= 1 || !follow(real, imaginary)) {
    paint(pixels, at, glow, inwards(Math.min(depth, 1)));
    return 0;
  }
  const distance = (Math.sqrt(last.magnitude / last.derivative) * Math.log(last.magnitude)) / 2;
  paint(pixels, at, palette[paletteIndex()] ?? glow, shade(distance / lineWidth));
  return distance;
};

/**
 * The last escape: written by `follow`, read by the colouring, so that no object is allocated per
 * pixel.
 */
const last = { count: 0, magnitude: 0, derivative: 0 };

/**
 * How fast points near the cycle are drawn into it, for the cardioid and the circle left of it,
 * which hold most of the set: 0 at their middles, 1 on their borders, more outside both.
 */
const attraction = (real: number, imaginary: number): number => {
  const circle = 4 * Math.sqrt((real + 1) * (real + 1) + imaginary * imaginary);
  if (circle <= 1) return circle;
  // The multiplier of the fixed point: 1 - sqrt(1 - 4c).
  const a = 1 - 4 * real;
  const b = -4 * imaginary;
  const length = Math.sqrt(a * a + b * b);
  const rootReal = Math.sqrt((length + a) / 2);
  const rootImaginary = Math.sqrt(Math.max(0, (length - a) / 2));
  return Math.sqrt((1 - rootReal) * (1 - rootReal) + rootImaginary * rootImaginary);
};

/**
 * Follows a point until it escapes; false when it never does, or returns to an earlier position.
 */
const follow = (real: number, imaginary: number): boolean => {
  let x = real;
  let y = imaginary;
  let dx = 1;
  let dy = 0;
  let seenX = x;
  let seenY = y;
  let lookAgain = 8;
  for (let count = 1; count < iterations; count++) {
    const xx = x * x;
    const yy = y * y;
    if (xx + yy > bailout) {
      last.count = count;
      last.magnitude = xx + yy;
      last.derivative = dx * dx + dy * dy;
      return true;
    }
    const grown = 2 * (x * dx - y * dy) + 1;
    dy = 2 * (x * dy + y * dx);
    dx = grown;
    y = 2 * x * y + imaginary;
    x = xx - yy + real;
    if (x === seenX && y === seenY) return false;
    if (count === lookAgain) {
      seenX = x;
      seenY = y;
      lookAgain *= 2;
    }
  }
  return false;
};

const paletteSize = 2048;

const paletteIndex = (): number => {
  const smooth = last.count - 2 - Math.log2(Math.log(last.magnitude) / 2);
  // The logarithm keeps the bands wide apart near the border, where counts run into the hundreds.
  return Math.floor(Math.log(Math.max(smooth, 1)) * 640) % paletteSize;
};

/** The light inside the set: a soft glow from the middles, dark at the border. */
const inwards = (depth: number): number => 0.1 + 0.75 * (1 - depth) * (1 - depth);

/** In the complex plane: what is nearer to the set than this is darkened. */
const lineWidth = 0.001;

/** The light outside: least on the border, 1 a line's width away from it. */
const shade = (distance: number): number => (distance >= 1 ? 1 : 0.3 + 0.7 * Math.sqrt(distance));

const paint = (pixels: Uint8Array, at: number, colour: Colour, light: number): void => {
  pixels[at] = colour[0] * light;
  pixels[at + 1] = colour[1] * light;
  pixels[at + 2] = colour[2] * light;
};

/** Fills the pixels between two of a row with colours between theirs. */
const blend = (pixels: Uint8Array, start: number, from: number, to: number): void => {
  for (let channel = 0; channel < 3; channel++) {
    const first = pixels[start + from * 3 + channel] ?? 0;
    const step = ((pixels[start + to * 3 + channel] ?? 0) - first) / (to - from);
    for (let column = from + 1; column < to; column++)
      pixels[start + column * 3 + channel] = first + step * (column - from);
  }
};

/**
 * Colours that run into one another and back to the first: night blue, teal, ivory, amber, wine.
 */
const stops: readonly Colour[] = [
  [9, 20, 61],
  [16, 78, 139],
  [58, 168, 193],
  [244, 243, 222],
  [245, 178, 66],
  [186, 72, 38],
  [84, 20, 60],
];

const makePalette = (): readonly Colour[] =>
  Array.from({ length: paletteSize }, (_, index) => {
    const along = (index / paletteSize) * stops.length;
    const from = stops[Math.floor(along)] ?? glow;
    const to = stops[(Math.floor(along) + 1) % stops.length] ?? glow;
    const t = along - Math.floor(along);
    const ease = t * t * (3 - 2 * t);
    const mix = (channel: 0 | 1 | 2): number =>
      from[channel] + (to[channel] - from[channel]) * ease;
    return [mix(0), mix(1), mix(2)];
  });
