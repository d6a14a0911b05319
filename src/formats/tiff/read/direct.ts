import { area, type Rect } from "../../../core/geometry.ts";
import type { Steps } from "../../../core/steps.ts";
import { isDecoded, type PlacedTile, type TileJob } from "../../fast-jpeg/index.ts";
import type { TileKind } from "../codecs/index.ts";
import { compressions, photometrics, type StoredLevel, type TiffFile } from "../structure/index.ts";
import { hasWholeJpegs } from "./jpeg.ts";
import { type ReadDestinations, readTogether } from "./merged-reads.ts";
import { cachedTile, type StoredTile, storedTiles, tilesAround } from "./tiles.ts";

/** Maximum total pixels of tiles; libvips handles more. */
const maxPixels = 4_194_304;
const maxBytes = 33_554_432;

/** The requested part of a level, pixel for pixel. */
export interface RequestedLevelPart extends ReadDestinations {
  /** In pixels of the level, inside it. */
  readonly region: Rect;
  /** Maximum total pixels of all tiles; libvips handles more. */
  readonly max?: number;
  /** The slot of the level's decoded tiles: those that are present are not read. */
  readonly decoded?: SharedArrayBuffer | undefined;
}

/** The tiles of a job, read and ready to be rendered. */
export interface ReadTiles {
  readonly job: Omit<TileJob, "quality" | "subsampling">;
  /** Whether all of them are decoded already. */
  readonly isDecoded: boolean;
  /** Whether their bytes are in `WantedPart.room`. */
  readonly isPassing: boolean;
}

/** Whether fast JPEGs can be made of a level's tiles. */
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

/**
 * Reads the tiles of a region; undefined where they are too many, or where one is missing or
 * unusual.
 */
export function* readForThreads(
  file: TiffFile,
  level: StoredLevel,
  { region, max = maxPixels, decoded, room }: RequestedLevelPart,
): Steps<ReadTiles | undefined> {
  const kind = tileKindOf(level);
  const around = tilesAround(level, region);
  const places = placesIn(level, region, around);
  if (kind === undefined || places.length * area(level.tile) > max) return undefined;
  const only = cachedTile(file, level, region);
  const stored = only ? [only] : yield* storedTiles(file, level, around);
  if (!areFit(stored)) return undefined;
  const isThere = decoded && places.map(({ number }) => isDecoded(decoded, number));
  const missing = isThere ? stored.filter((_, index) => !isThere[index]) : stored;
  const read = missing.length === 0 ? noTiles : yield* readTogether(file, level, missing, { room });
  if (read === undefined) return undefined;
  let next = 0;
  const tiles = places.map((place, index): PlacedTile => {
    const bytes = isThere?.[index] ? nothing : (read.tiles[next++] ?? nothing);
    const { x, y, number } = place;
    return decoded ? { bytes, x, y, number } : { bytes, x, y };
  });
  // Spreading goes through V8's runtime.
  const { compression, predictor, tile, samples } = kind;
  const size = { width: region.width, height: region.height };
  return {
    job: { compression, predictor, tile, samples, tiles, size },
    isDecoded: missing.length === 0,
    isPassing: read.isPassing,
  };
}

/** Whether all tiles exist, and have no more bytes than one read allows. */
const areFit = (stored: readonly StoredTile[]): boolean => {
  let bytes = 0;
  for (const { length } of stored) {
    if (length === 0) return false;
    bytes += length;
  }
  return bytes <= maxBytes;
};

const noTiles = { tiles: [], isPassing: false };

/** The format of a level's tiles, where the decoders here support it. */
const tileKindOf = ({
  compression,
  predictor,
  tile,
  samples,
}: StoredLevel): TileKind | undefined => {
  if (samples !== 1 && samples !== 3) return undefined;
  const plain = compression === compressions.jpeg || compression === compressions.webp;
  return { compression, predictor: plain ? 1 : predictor, tile, samples };
};

/**
 * The tiles around a region, row by row: their positions in it, and their numbers within the level.
 */
const placesIn = (
  level: StoredLevel,
  region: Rect,
  around: Rect,
): readonly Required<Omit<PlacedTile, "bytes">>[] => {
  const { tile, across } = level;
  const left = around.x / tile.width;
  const top = around.y / tile.height;
  const right = left + Math.ceil(around.width / tile.width);
  const bottom = top + Math.ceil(around.height / tile.height);
  const places: Required<Omit<PlacedTile, "bytes">>[] = [];
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++)
      places.push({
        x: column * tile.width - region.x,
        y: row * tile.height - region.y,
        number: row * across + column,
      });
  return places;
};
