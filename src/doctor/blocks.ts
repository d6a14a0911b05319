import type { Rect } from "../core/geometry.ts";
import type { Page } from "../core/info.ts";
import { isInParts } from "../render/geometry.ts";

/** Maximum pixels of a block; it takes several bytes of memory per pixel. */
const maxBlock = 4_194_304;

/**
 * The largest level of a page in blocks of whole tiles; none if the page is untiled, since then any
 * request decodes all of it. The order jumps across the page, so that the first blocks are a
 * representative sample.
 */
export function* blocksOf(page: Page): Generator<Rect> {
  if (!isInParts(page)) return;
  const { size } = page;
  const [{ tile }] = page.levels;
  const width = step(tile.width, size.width, maxBlock / Math.min(tile.height, size.height));
  const height = step(tile.height, size.height, maxBlock / Math.min(width, size.width));
  const across = Math.ceil(size.width / width);
  const count = across * Math.ceil(size.height / height);
  const stride = strideFor(count);
  for (let n = 0; n < count; n++) {
    const at = (n * stride) % count;
    const x = (at % across) * width;
    const y = Math.floor(at / across) * height;
    yield {
      ...{ x, y },
      width: Math.min(width, size.width - x),
      height: Math.min(height, size.height - y),
    };
  }
}

/** The largest number of whole tiles that fit, at least one. */
const step = (tile: number, side: number, max: number): number =>
  Math.min(side, Math.max(1, Math.floor(max / tile)) * tile);

/** A number near the golden section of `count` and coprime to it: its multiples spread evenly. */
const strideFor = (count: number): number => {
  let stride = Math.max(1, Math.round(count * 0.618));
  while (commonDivisor(stride, count) !== 1) stride++;
  return stride;
};

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b));
