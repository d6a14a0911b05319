import type { Size } from "../core/geometry.ts";
import type { StoredLevel } from "./pyramid-directories.ts";

/** A level of a pyramid while it is written: the strip that is filling, and what is stored. */
export interface Level {
  readonly stored: StoredLevel;
  readonly tile: number;
  readonly bands: number;
  /** As wide as the level and as high as a tile; samples interleaved. */
  readonly strip: Uint8Array;
  /** Rows of the strip that are filled. */
  filled: number;
  /** Rows that have come so far, those of the strip included. */
  rows: number;
  /** Rows of tiles that are stored. */
  tileRows: number;
}

export const growLevel = (
  size: Size,
  { tile, bands }: { readonly tile: number; readonly bands: number },
): Level => ({
  stored: { size, offsets: [], lengths: [] },
  tile,
  bands,
  strip: new Uint8Array(size.width * tile * bands),
  filled: 0,
  rows: 0,
  tileRows: 0,
});

/** A tile of the strip, the last column and row repeated where it overhangs the level. */
export const cutTile = ({ stored, strip, filled, tile, bands }: Level, column: number) => {
  const pixels = new Uint8Array(tile * tile * bands);
  const stride = stored.size.width * bands;
  const left = column * tile * bands;
  const length = Math.min(tile * bands, stride - left);
  for (let row = 0; row < tile; row++) {
    const from = Math.min(row, filled - 1) * stride + left;
    const to = row * tile * bands;
    pixels.set(strip.subarray(from, from + length), to);
    for (let at = to + length; at < to + tile * bands; at++) pixels[at] = pixels[at - bands] ?? 0;
  }
  return pixels;
};

/** Puts a tile of a level's strip, halved, where the next level's strip goes on. */
export const halveTile = (level: Level, next: Level, column: number): void => {
  const { strip, filled, tile, bands } = level;
  const { width, height } = level.stored.size;
  const nextWidth = next.stored.size.width;
  const first = (column * tile) / 2;
  const last = Math.min(first + tile / 2, nextWidth);
  const rows = Math.min(Math.max(1, filled >> 1), next.stored.size.height - next.rows);
  // A side of one pixel cannot be halved: it is its own neighbour.
  const right = width > 1 ? bands : 0;
  const below = height > 1 ? width * bands : 0;
  for (let row = 0; row < rows; row++) {
    let from = (row * 2 * width + first * 2) * bands;
    let to = ((next.filled + row) * nextWidth + first) * bands;
    for (let pixel = first; pixel < last; pixel++, from += bands)
      for (let band = 0; band < bands; band++, from++, to++) {
        const sum =
          (strip[from] ?? 0) +
          (strip[from + right] ?? 0) +
          (strip[from + below] ?? 0) +
          (strip[from + right + below] ?? 0);
        next.strip[to] = (sum + 2) >> 2;
      }
  }
};
