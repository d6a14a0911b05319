import { area, type Rect } from "../core/geometry.ts";
import type { TiffFile } from "./tiff-directory.ts";
import { hasWholeJpegs, jpegHead, wholeJpeg } from "./tiff-jpeg.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { compressions, photometrics } from "./tiff-tags.ts";
import { fillTiles, storedTiles, tilesAround } from "./tiff-tiles.ts";
import type { PlacedTile, TileJob } from "./tile-job.ts";
import { open } from "./vips.ts";

/** Tiles beyond this many pixels in sum are libvips' business. */
const mostPixels = 4_194_304;
const mostBytes = 33_554_432;

/** What is wanted of a level, pixel for pixel. */
export interface WantedPart {
  /** In pixels of the level, inside it. */
  readonly region: Rect;
  readonly seconds: number;
  readonly signal: AbortSignal;
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

/** Reads the tiles of a region; undefined where they are too many, or where one is missing or odd. */
export const readForThreads = async (
  file: TiffFile,
  level: StoredLevel,
  { region, seconds, signal }: WantedPart,
): Promise<ReadTiles | undefined> => {
  const { tile, samples } = level;
  const around = tilesAround(level, region);
  const columns = Math.ceil(around.width / tile.width);
  const rows = Math.ceil(around.height / tile.height);
  if (samples !== 1 && samples !== 3) return undefined;
  if (columns * rows * area(tile) > mostPixels) return undefined;
  const stored = await storedTiles(file, level, { area: around, signal });
  const bytes = stored.reduce((sum, { length }) => sum + length, 0);
  if (bytes > mostBytes || stored.some(({ length }) => length === 0)) return undefined;
  const contents = await fillTiles(file, stored, signal);
  const ready = await readyTiles(file, level, { contents, seconds, signal });
  if (ready === undefined) return undefined;
  const decoded = level.compression === compressions.webp;
  return {
    tiles: ready.map((content, index): PlacedTile => {
      const x = around.x - region.x + (index % columns) * tile.width;
      return {
        bytes: content,
        x,
        y: around.y - region.y + Math.floor(index / columns) * tile.height,
      };
    }),
    compression: decoded ? compressions.none : level.compression,
    predictor: level.compression === compressions.jpeg || decoded ? 1 : level.predictor,
    tile,
    samples,
    size: { width: region.width, height: region.height },
  };
};

const readyTiles = async (
  file: TiffFile,
  level: StoredLevel,
  {
    contents,
    seconds,
    signal,
  }: {
    readonly contents: readonly Uint8Array[];
    readonly seconds: number;
    readonly signal: AbortSignal;
  },
): Promise<readonly Uint8Array[] | undefined> => {
  if (level.compression === compressions.webp)
    return allOf(await Promise.all(contents.map((tile) => pixelsOf(level, tile, seconds))));
  if (level.compression !== compressions.jpeg) return contents;
  const head = await jpegHead(file, level, { profiled: false, signal });
  return head && allOf(contents.map((tile) => wholeJpeg(level, head, tile)));
};

const allOf = <T>(items: readonly (T | undefined)[]): readonly T[] | undefined => {
  const there = items.filter((item) => item !== undefined);
  return there.length === items.length ? there : undefined;
};

const pixelsOf = async (
  level: StoredLevel,
  tile: Uint8Array,
  seconds: number,
): Promise<Uint8Array | undefined> => {
  const image = open(tile, { options: { limitInputPixels: area(level.tile) }, seconds });
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const isRight =
    info.width === level.tile.width && info.height === level.tile.height && info.channels === 3;
  // Memory of libvips' own cannot change threads.
  return isRight ? Uint8Array.from(data) : undefined;
};
