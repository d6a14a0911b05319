import sharp from "sharp";

/** A multiple of 4: each of the sixteen cells is the mean of as many samples. */
const side = 64;

/**
 * The mean sRGB colours of the sixteen cells of a 4 x 4 division, row by row, transparency over
 * white: 48 numbers.
 */
export const gridOf = async (encoded: Uint8Array): Promise<readonly number[]> => {
  const { data } = await sharp(encoded, { limitInputPixels: false })
    .toColourspace("srgb")
    .flatten({ background: "#ffffff" })
    .resize(side, side, { fit: "fill", kernel: "linear" })
    .removeAlpha()
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  const bands = data.length / (side * side);
  const grid = Array.from({ length: 48 }, () => 0);
  const cell = side / 4;
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      for (let band = 0; band < 3; band++) {
        const at = (Math.floor(y / cell) * 4 + Math.floor(x / cell)) * 3 + band;
        const sample = data[(y * side + x) * bands + (bands < 3 ? 0 : band)] ?? 0;
        grid[at] = (grid[at] ?? 0) + sample / (cell * cell);
      }
  return grid;
};

/** The numbers of hexadecimal digits, as in `ff8000`. */
export const numbersOf = (digits: string): readonly number[] => [...Buffer.from(digits, "hex")];

/** The mean difference of two grids, in steps of 255. */
export const distance = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;

/** The ways in which an image may be rotated or mirrored. */
const ways: readonly (readonly [string, (x: number, y: number) => readonly [number, number]])[] = [
  ["mirrored", (x, y) => [3 - x, y]],
  ["upside down and mirrored", (x, y) => [x, 3 - y]],
  ["upside down", (x, y) => [3 - x, 3 - y]],
  ["mirrored along a diagonal", (x, y) => [y, x]],
  ["mirrored along a diagonal", (x, y) => [3 - y, 3 - x]],
  ["turned", (x, y) => [3 - y, x]],
  ["turned", (x, y) => [y, 3 - x]],
];

/** What is wrong with a grid; undefined where it is the expected one, within `max` on average. */
export const trouble = (
  grid: readonly number[],
  wanted: readonly number[],
  max: number,
): string | undefined => {
  const apart = distance(grid, wanted);
  if (apart <= max) return undefined;
  for (const [name, from] of ways) {
    const moved = grid.map((_, at) => {
      const cell = Math.floor(at / 3);
      const [x, y] = from(cell % 4, Math.floor(cell / 4));
      return grid[(y * 4 + x) * 3 + (at % 3)] ?? 0;
    });
    if (distance(moved, wanted) <= max / 2) return `the picture is ${name}`;
  }
  const inverted = grid.map((value) => 255 - value);
  if (distance(inverted, wanted) <= max / 2) return "the picture is inverted";
  return `its colours are ${Math.round(apart)} of 255 apart from those of the reference`;
};
