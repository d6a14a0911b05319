import type { Rect, Size } from "../core/geometry.ts";

/**
 * An image in memory: red, green, blue and alpha (not premultiplied), row by row without padding.
 */
export interface Pixels extends Size {
  readonly data: Uint8Array;
}

/** A part of an image, inside it. */
export const cut = ({ data, width }: Pixels, part: Rect): Uint8Array => {
  const row = part.width * 4;
  const into = new Uint8Array(part.height * row);
  for (let y = 0; y < part.height; y++) {
    const from = ((part.y + y) * width + part.x) * 4;
    into.set(data.subarray(from, from + row), y * row);
  }
  return into;
};

/**
 * A part of a plane tiled with an image, so that the upper left corner of one tile is at `origin`.
 */
export const tiled = (
  { data, width, height }: Pixels,
  part: Rect,
  origin: { readonly x: number; readonly y: number },
): Uint8Array => {
  const row = part.width * 4;
  const into = new Uint8Array(part.height * row);
  for (let y = 0; y < part.height; y++) {
    const from = modulo(part.y + y - origin.y, height) * width * 4;
    for (let x = 0; x < part.width; ) {
      const column = modulo(part.x + x - origin.x, width);
      const run = Math.min(width - column, part.width - x);
      into.set(data.subarray(from + column * 4, from + (column + run) * 4), y * row + x * 4);
      x += run;
    }
  }
  return into;
};

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

/**
 * A part of an image that is enlarged to a size, bilinear between pixel centres. Each pixel depends
 * on its position alone, so that parts join.
 */
export const enlarged = (picture: Pixels, size: Size, part: Rect): Uint8Array => {
  const columns = between(part.x, part.width, picture.width / size.width, picture.width);
  const rows = between(part.y, part.height, picture.height / size.height, picture.height);
  const into = new Uint8Array(part.width * part.height * 4);
  let at = 0;
  for (const row of rows)
    for (const column of columns) {
      mixInto(into, at, picture, row, column);
      at += 4;
    }
  return into;
};

/** Two neighbours, and the weight of the second. */
interface Between {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

const between = (start: number, count: number, step: number, length: number): readonly Between[] =>
  Array.from({ length: count }, (_, n) => {
    const at = Math.min(Math.max((start + n + 0.5) * step - 0.5, 0), length - 1);
    const first = Math.floor(at);
    return { first, second: Math.min(first + 1, length - 1), weight: at - first };
  });

const mixInto = (
  into: Uint8Array,
  at: number,
  { data, width }: Pixels,
  row: Between,
  column: Between,
): void => {
  let alpha = 0;
  const colour = [0, 0, 0];
  const add = (y: number, x: number, weight: number): void => {
    const from = (y * width + x) * 4;
    // Colours are weighted by their alpha.
    const seen = weight * (data[from + 3] as number);
    alpha += seen;
    for (let c = 0; c < 3; c++)
      colour[c] = (colour[c] as number) + seen * (data[from + c] as number);
  };
  add(row.first, column.first, (1 - row.weight) * (1 - column.weight));
  add(row.first, column.second, (1 - row.weight) * column.weight);
  add(row.second, column.first, row.weight * (1 - column.weight));
  add(row.second, column.second, row.weight * column.weight);
  if (alpha === 0) return;
  for (let c = 0; c < 3; c++) into[at + c] = Math.round((colour[c] as number) / alpha);
  into[at + 3] = Math.round(alpha);
};
