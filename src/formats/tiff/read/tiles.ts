import { fail } from "../../../core/errors.ts";
import type { Rect } from "../../../core/geometry.ts";
import type { Steps } from "../../../core/steps.ts";
import type { SampleJob } from "../codecs/index.ts";
import {
  cachedNumber,
  compressions,
  decodedBytes,
  type ListRange,
  listed,
  photometrics,
  readNumbers,
  type StoredLevel,
  sampleLayoutOf,
  type TiffFile,
  tags,
} from "../structure/index.ts";
import { sharedTables } from "./jpeg.ts";

const maxTiles = 1_048_576;

/** The requested part of a level, and its limits. */
export interface LevelRequest {
  /** In whole pixels of the level, inside it. */
  readonly region: Rect;
  /** Maximum bytes of a tile, and of all compressed tiles together. */
  readonly max: number;
}

/** The position of a tile's bytes; a length of 0 means a tile that was never written. */
export interface StoredTile {
  readonly offset: number;
  readonly length: number;
}

/** The tiles or strips in an area, plane by plane and row by row. */
export function* storedTiles(file: TiffFile, level: StoredLevel, area: Rect): Steps<StoredTile[]> {
  const left = area.x / level.tile.width;
  const top = area.y / level.tile.height;
  const right = Math.ceil((area.x + area.width) / level.tile.width);
  const bottom = Math.ceil((area.y + area.height) / level.tile.height);
  const count = (right - left) * (bottom - top) * (level.planar ? level.samples : 1);
  if (count > maxTiles)
    fail("unreadable", `Expected at most ${maxTiles} tiles or strips at once, not ${count}.`);
  const planes = Array.from({ length: level.planar ? level.samples : 1 }, (_, plane) => plane);
  const runs = planes.flatMap((plane) => indexRuns(level, { left, top, right, bottom, plane }));
  const numbers = yield* listed(file, listsOf(level, runs));
  const usual = decodedBytes(level, level.tile.height);
  const tiles: StoredTile[] = [];
  for (let run = 0; run < runs.length; run++) {
    const lengths = numbers[runs.length + run];
    for (const [index, offset] of (numbers[run] ?? []).entries())
      tiles.push({ offset, length: offset === 0 ? 0 : ((lengths ? lengths[index] : usual) ?? 0) });
  }
  return tiles;
}

/**
 * The single tile that contains all of a region, where its position is known; undefined otherwise.
 * By far the most frequent case.
 */
export const cachedTile = (
  { kept }: TiffFile,
  { tile, planar, across, offsets, counts }: StoredLevel,
  { x, y, width, height }: Rect,
): StoredTile | undefined => {
  if (kept === undefined || planar || counts === undefined) return undefined;
  const column = Math.floor(x / tile.width);
  const row = Math.floor(y / tile.height);
  if (x + width > (column + 1) * tile.width || y + height > (row + 1) * tile.height)
    return undefined;
  const index = row * across + column;
  const offset = cachedNumber(kept, offsets, index);
  const length = offset === undefined ? undefined : cachedNumber(kept, counts, index);
  if (offset === undefined || length === undefined) return undefined;
  return { offset, length: offset === 0 ? 0 : length };
};

/**
 * The offsets of all runs, and then the lengths where they are stored; others have that of a whole
 * tile.
 */
const listsOf = (
  { offsets, counts, compression }: StoredLevel,
  runs: readonly (readonly [number, number])[],
): readonly ListRange[] => {
  if (counts === undefined && compression !== compressions.none)
    fail("unreadable", "The TIFF does not give the lengths of its strips.");
  const lists: ListRange[] = runs.map(([from, to]) => ({ entry: offsets, from, to }));
  if (counts !== undefined) for (const [from, to] of runs) lists.push({ entry: counts, from, to });
  return lists;
};

/** The whole tiles around a region, clipped to the level. */
export const tilesAround = (level: StoredLevel, region: Rect): Rect => {
  const { tile, size } = level;
  const x = Math.floor(region.x / tile.width) * tile.width;
  const y = Math.floor(region.y / tile.height) * tile.height;
  const right = Math.ceil((region.x + region.width) / tile.width) * tile.width;
  const bottom = Math.ceil((region.y + region.height) / tile.height) * tile.height;
  return {
    x,
    y,
    width: Math.min(size.width, right) - x,
    height: Math.min(size.height, bottom) - y,
  };
};

/** The bytes of tiles or strips, each by itself. */
export function* fillTiles(
  file: TiffFile,
  stored: readonly StoredTile[],
): Steps<readonly Uint8Array[]> {
  const ranges = stored.map(({ offset, length }) => {
    return { offset, length, into: new Uint8Array(length) };
  });
  yield* file.bytes.read(ranges);
  return ranges.map(({ into }) => into);
}

/** Number of tiles decoded at a time, in as many threads as available. */
const maxAtOnce = 4;

/** Processes items, a few at a time; the first error ends it. */
export const inTurn = async <T>(
  things: readonly T[],
  { concurrency, signal }: { readonly concurrency: number; readonly signal: AbortSignal },
  work: (thing: T, index: number) => Promise<void>,
): Promise<void> => {
  const left = things.entries();
  let failed = false;
  const goOn = async (): Promise<void> => {
    for (const [index, thing] of left) {
      if (failed) return;
      signal.throwIfAborted();
      await work(thing, index);
    }
  };
  const count = Math.max(1, Math.min(concurrency, maxAtOnce, things.length));
  try {
    await Promise.all(Array.from({ length: count }, goOn));
  } finally {
    failed = true;
  }
};

/** What a thread has to know to decode any tile of a level. */
export function* codedFor(
  file: TiffFile,
  level: StoredLevel,
): Steps<Pick<SampleJob, "layout" | "littleEndian" | "beforeLerc" | "tables">> {
  const entry = level.directory.entries.get(tags.lercParameters);
  const parameters = entry && (yield* readNumbers(file, entry, { to: Math.min(2, entry.count) }));
  return {
    layout: sampleLayoutOf(level),
    littleEndian: file.bytes.littleEndian,
    beforeLerc: parameters?.[1] ?? 0,
    ...(level.compression === compressions.jpeg ? { tables: yield* tablesFor(file, level) } : {}),
  };
}

/** In memory of their own, which is copied for every tile. */
function* tablesFor(file: TiffFile, level: StoredLevel): Steps<Uint8Array | undefined> {
  const tables = yield* sharedTables(file, level);
  return tables && Uint8Array.from(tables);
}

/** Throws for tiles that would take more than `max` bytes once decoded. */
export const checkTile = (level: StoredLevel, max: number): void => {
  // Rows of an uncompressed strip are read individually, however many there are.
  const rows = isRowByRow(level) ? 1 : level.tile.height;
  const bytes = decodedBytes(level, rows);
  if (bytes > max) tooMuch(bytes, max);
};

/**
 * Runs of consecutive indices into the offsets: a single one where a row of tiles is wanted whole.
 */
const indexRuns = (
  level: StoredLevel,
  range: {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
    readonly plane: number;
  },
): [number, number][] => {
  const { left, top, right, bottom, plane } = range;
  const base = plane * level.across * level.down;
  if (left === 0 && right >= level.across)
    return [[base + top * level.across, base + bottom * level.across]];
  return Array.from({ length: bottom - top }, (_, row) => {
    const start = base + (top + row) * level.across;
    return [start + left, start + right];
  });
};

/** Uncompressed strips are consecutive rows: only the requested ones need reading. */
export const isRowByRow = (level: StoredLevel): boolean =>
  level.compression === compressions.none &&
  !level.tiled &&
  !level.planar &&
  level.photometric !== photometrics.yCbCr;

/** Number of rows of a stored tile: the last strip ends with the image. */
export const rowsOf = (level: StoredLevel, area: Rect, index: number): number => {
  const { height } = level.tile;
  const strip = area.y / height + (index % Math.ceil(area.height / height));
  return level.tiled ? height : Math.min(height, level.size.height - strip * height);
};

/** Throws for what would take more memory than one image may. */
export const tooMuch = (bytes: number, max: number): never =>
  fail(
    "unreadable",
    `Expected a TIFF that can be read in pieces of at most ${max} bytes; this one needs ${bytes} at once.`,
  );
