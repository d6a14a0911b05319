import type { Rect, Size } from "../src/core/geometry.ts";
import { assemble, type Pixels } from "./likeness.ts";

/** A size at 1/factor, rounded up, as viewers compute it. */
export const reducedSize = ({ width, height }: Size, factor: number): Size => ({
  width: Math.ceil(width / factor),
  height: Math.ceil(height / factor),
});

/** Has all tiles of a scale factor rendered as viewers request them, and joins them. */
export const fromTiles = async (
  page: Size,
  { factor, tile }: { readonly factor: number; readonly tile: number },
  draw: (wanted: { readonly crop: Rect; readonly size: Size }) => Promise<Pixels>,
): Promise<Pixels> => {
  const whole = reducedSize(page, factor);
  const tiles: { readonly x: number; readonly y: number; readonly pixels: Pixels }[] = [];
  for (let y = 0; y < whole.height; y += tile)
    for (let x = 0; x < whole.width; x += tile) {
      const crop = {
        x: x * factor,
        y: y * factor,
        width: Math.min(tile * factor, page.width - x * factor),
        height: Math.min(tile * factor, page.height - y * factor),
      };
      tiles.push({ x, y, pixels: await draw({ crop, size: reducedSize(crop, factor) }) });
    }
  return assemble(whole, tiles);
};
