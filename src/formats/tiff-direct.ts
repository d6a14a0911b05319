import { area, type Rect } from "../core/geometry.ts";
import { isDecoded } from "./decoded-tiles.ts";
import type { TiffFile } from "./tiff-directory.ts";
import { hasWholeJpegs } from "./tiff-jpeg.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { compressions, photometrics } from "./tiff-tags.ts";
import { storedTiles, tilesAround } from "./tiff-tiles.ts";
import { readTogether } from "./tiff-together.ts";
import type { PlacedTile, TileJob } from "./tile-job.ts";

/** Tiles beyond this many pixels in sum are libvips' business. */
const mostPixels = 4_194_304;
const mostBytes = 33_554_432;

/** What is wanted of a level, pixel for pixel. */
export interface WantedPart {
  /** In pixels of the level, inside it. */
  readonly region: Rect;
  readonly signal: AbortSignal;
  /** Pixels of all tiles in sum; more are libvips' business. */
  readonly most?: number;
  /** Where decoded tiles of the level are kept: those that are there are not read. */
  readonly decoded?: SharedArrayBuffer | undefined;
}

/** The tiles of a job, read and ready to be drawn. */
export type ReadTiles = Omit<TileJob, "quality" | "subsampling">;

/** Whether the tiles of a level are such that threads of our own can make JPEGs of them. */
export const isDirect = (level: StoredLevel): boolean =>
  isPlainLevel(level) &&
  (directly.has(level.compression)
    ? level.predictor <= 2 && level.photometric !== photometrics.yCbCr
    : level.compression === compressions.webp
      ? level.photometric === photometrics.rgb && level.samples === 3
      : hasWholeJpegs(level));

const directly: ReadonlySet<number> = new Set([
  compressions.none,
  compressions.lzw,
  compressions.deflate,
  compressions.oldDeflate,
  compressions.zstd,
]);

const isPlainLevel = (level: StoredLevel): boolean =>
  level.tiled &&
  !level.planar &&
  level.bits === 8 &&
  level.sampleFormat === "unsigned" &&
  level.extra.length === 0 &&
  level.fillOrder === 1 &&
  (level.samples === 3
    ? level.photometric === photometrics.rgb || level.photometric === photometrics.yCbCr
    : level.samples === 1 && level.photometric === photometrics.blackIsZero);

const nothing = new Uint8Array(0);

/** Reads the tiles of a region; undefined where they are too many, or where one is missing or odd. */
export const readForThreads = async (
  file: TiffFile,
  level: StoredLevel,
  { region, signal, most = mostPixels, decoded }: WantedPart,
): Promise<ReadTiles | undefined> => {
  const { tile, samples } = level;
  const around = tilesAround(level, region);
  const columns = Math.ceil(around.width / tile.width);
  const rows = Math.ceil(around.height / tile.height);
  if (samples !== 1 && samples !== 3) return undefined;
  if (columns * rows * area(tile) > most) return undefined;
  const stored = await storedTiles(file, level, { area: around, signal });
  const bytes = stored.reduce((sum, { length }) => sum + length, 0);
  if (bytes > mostBytes || stored.some(({ length }) => length === 0)) return undefined;
  const numberOf = (index: number): number =>
    (around.y / tile.height + Math.floor(index / columns)) * level.across +
    around.x / tile.width +
    (index % columns);
  const isThere = stored.map(
    (_, index) => decoded !== undefined && isDecoded(decoded, numberOf(index)),
  );
  const missing = stored.filter((_, index) => !isThere[index]);
  const read = missing.length === 0 ? [] : await readTogether(file, level, missing, signal);
  if (read === undefined) return undefined;
  let next = 0;
  const ready = isThere.map((there) => (there ? nothing : (read[next++] ?? nothing)));
  const { compression } = level;
  const plain = compression === compressions.jpeg || compression === compressions.webp;
  return {
    tiles: ready.map((content, index): PlacedTile => {
      const x = around.x - region.x + (index % columns) * tile.width;
      return {
        bytes: content,
        x,
        y: around.y - region.y + Math.floor(index / columns) * tile.height,
        ...(decoded ? { number: numberOf(index) } : {}),
      };
    }),
    compression,
    predictor: plain ? 1 : level.predictor,
    tile,
    samples,
    size: { width: region.width, height: region.height },
  };
};
