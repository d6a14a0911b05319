import sharp from "sharp";
import { type Grid, originOf, type Rgb, type Shown, shownSize } from "./grid.ts";

export interface Likeness {
  /** Number of compared points: those well inside a square. */
  readonly compared: number;
  /** Number of those with their square's colour within the tolerance. */
  readonly alike: number;
  /** The first mismatch, for people. */
  readonly first: string | undefined;
}

/** How much of an encoded response has the colours of the part of the grid it should show. */
export const gridLikeness = async (
  body: Buffer,
  grid: Grid,
  { shown, tolerance }: { readonly shown: Shown; readonly tolerance: number },
): Promise<Likeness> => {
  const { data, info } = await sharp(body)
    .removeAlpha()
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [width, height] = shownSize(shown);
  if (info.width !== width || info.height !== height)
    throw new Error(`Expected ${width}×${height}, got ${info.width}×${info.height}`);
  const margin = marginOf(grid, shown);
  let compared = 0;
  let alike = 0;
  let first: string | undefined;
  for (const [x, y] of lattice(width, height)) {
    const [gridX, gridY] = originOf(shown, x + 0.5, y + 0.5);
    if (nearBorder(gridX, grid.square, margin.x) || nearBorder(gridY, grid.square, margin.y))
      continue;
    compared++;
    const truth = grid.colourAt(gridX, gridY);
    const at = (y * width + x) * info.channels;
    const got = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0] as const;
    if (differ(truth, got) <= tolerance) alike++;
    else first ??= `at ${x},${y}: expected ${truth}, got ${got}`;
  }
  return { compared, alike, first };
};

const points = 60;

/** Points spread over the response, at most `points` each way. */
function* lattice(width: number, height: number): Generator<readonly [number, number]> {
  const across = Math.min(points, width);
  const down = Math.min(points, height);
  for (let row = 0; row < down; row++)
    for (let column = 0; column < across; column++)
      yield [
        Math.floor(((column + 0.5) * width) / across),
        Math.floor(((row + 0.5) * height) / down),
      ];
}

/** Resampling and JPEG's 16-pixel blocks blur a square's border by some pixels of the response. */
const blur = 4;

const marginOf = (grid: Grid, { region: [, , w, h], size: [width, height] }: Shown) => ({
  x: Math.min(grid.square * 0.4, Math.max(blur, (blur * w) / width)),
  y: Math.min(grid.square * 0.4, Math.max(blur, (blur * h) / height)),
});

const nearBorder = (place: number, square: number, margin: number): boolean => {
  const inside = place % square;
  return inside < margin || inside > square - margin;
};

const differ = (truth: Rgb, got: Rgb): number =>
  Math.max(Math.abs(truth[0] - got[0]), Math.abs(truth[1] - got[1]), Math.abs(truth[2] - got[2]));
