import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { fail } from "../core/errors.ts";
import type { Rect } from "../core/geometry.ts";
import { type Assembly, assembleTiff, type Field } from "./tiff-assembly.ts";
import type { Piece } from "./tiff-bytes.ts";
import { decompressTile } from "./tiff-decompress.ts";
import { type Entry, readBytes, readNumbers, type TiffFile } from "./tiff-directory.ts";
import { emptyTile } from "./tiff-empty.ts";
import { decodedBytes } from "./tiff-layout.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { compressions, photometrics, tags } from "./tiff-tags.ts";

const largestField = 16_777_216;
const mostTiles = 1_048_576;

/** Fields that a cut-out carries as they are: all that decoding a tile turns on. */
const carried = [
  tags.bitsPerSample,
  tags.photometric,
  tags.fillOrder,
  tags.samplesPerPixel,
  tags.planarConfiguration,
  tags.t4Options,
  tags.t6Options,
  tags.predictor,
  tags.colorMap,
  tags.inkSet,
  tags.extraSamples,
  tags.sampleFormat,
  tags.jpegTables,
  tags.yCbCrCoefficients,
  tags.yCbCrSubSampling,
  tags.yCbCrPositioning,
  tags.referenceBlackWhite,
  tags.iccProfile,
] as const;

/** What of a level is wanted, and what it may cost. */
export interface Wanted {
  /** In whole pixels of the level, inside it. */
  readonly region: Rect;
  /** Most bytes a tile, and all compressed tiles together, may take. */
  readonly most: number;
  readonly signal: AbortSignal;
}

/** A TIFF of a few tiles in memory, and which part of the level it shows. */
export interface Cutout {
  readonly file: Uint8Array;
  readonly area: Rect;
}

/** What a cut would take, before any pixel's byte is read. */
export interface Cut {
  readonly area: Rect;
  readonly stored: readonly StoredTile[];
  /** Of all stored tiles or rows together. */
  readonly bytes: number;
  /** False for tiles that libtiff cannot read as they are: missing ones, and Zstandard. */
  readonly plain: boolean;
}

/** Finds the stored tiles or strips that a region of a level touches. */
export const planCut = async (
  file: TiffFile,
  level: StoredLevel,
  { region, most, signal }: Wanted,
): Promise<Cut> => {
  checkTile(level, most);
  const rows = isRowByRow(level);
  const area = rows
    ? { x: 0, y: region.y, width: level.size.width, height: region.height }
    : tilesAround(level, region);
  const stored = await storedTiles(file, level, { area: tilesAround(level, region), signal });
  const bytes = rows
    ? decodedBytes(level, 1) * area.height
    : stored.reduce((sum, { length }) => sum + length, 0);
  const plain = level.compression !== compressions.zstd && stored.every(({ length }) => length > 0);
  return { area, stored, bytes, plain };
};

/** Puts the tiles or strips of a plan into a TIFF of their own, undecoded. */
export const cutTiles = async (
  file: TiffFile,
  level: StoredLevel,
  { cut, most, signal }: { readonly cut: Cut; readonly most: number; readonly signal: AbortSignal },
): Promise<Cutout> => {
  if (cut.bytes > most) tooMuch(cut.bytes, most);
  const fields = await carriedFields(file, level, signal);
  const { area, stored } = cut;
  if (isRowByRow(level)) return cutRows(file, level, { cut, fields, signal });
  const shape = {
    littleEndian: file.bytes.littleEndian,
    width: area.width,
    height: area.height,
    ...(level.tiled ? { tile: level.tile } : { rowsPerStrip: level.tile.height }),
  };
  if (!cut.plain)
    return {
      file: await convert(file, level, { shape, top: area.y, fields, stored, most, signal }),
      area,
    };
  const assembled = assembleTiff({
    ...shape,
    fields: withCompression(file, fields, level.compression),
    lengths: stored.map(({ length }) => length),
  });
  const pieces = stored.map(({ offset, length }, index): Piece => {
    return { offset, length, into: assembled.slots[index] ?? new Uint8Array(0) };
  });
  await file.bytes.fill(pieces, signal);
  return { file: assembled.file, area };
};

/** The bytes of tiles or strips, each on its own. */
export const fillTiles = async (
  file: TiffFile,
  stored: readonly StoredTile[],
  signal: AbortSignal,
): Promise<Uint8Array[]> => {
  const pieces = stored.map(({ offset, length }): Piece => {
    return { offset, length, into: new Uint8Array(length) };
  });
  await file.bytes.fill(pieces, signal);
  return pieces.map(({ into }) => into);
};

/** Where a tile's bytes are; a length of 0 stands for a tile that was never written. */
export interface StoredTile {
  readonly offset: number;
  readonly length: number;
}

/** The tiles or strips in an area, plane by plane and row by row. */
export const storedTiles = async (
  file: TiffFile,
  level: StoredLevel,
  { area, signal }: { readonly area: Rect; readonly signal: AbortSignal },
): Promise<StoredTile[]> => {
  const left = area.x / level.tile.width;
  const top = area.y / level.tile.height;
  const right = Math.ceil((area.x + area.width) / level.tile.width);
  const bottom = Math.ceil((area.y + area.height) / level.tile.height);
  const count = (right - left) * (bottom - top) * (level.planar ? level.samples : 1);
  if (count > mostTiles)
    fail("unreadable", `Expected at most ${mostTiles} tiles or strips at once, not ${count}.`);
  const planes = Array.from({ length: level.planar ? level.samples : 1 }, (_, plane) => plane);
  const runs = planes.flatMap((plane) => indexRuns(level, { left, top, right, bottom, plane }));
  const tiles: StoredTile[] = [];
  for (const [from, to] of runs) {
    const offsets = await readNumbers(file, level.offsets, { signal, from, to });
    const lengths = await lengthsOf(file, level, { signal, from, to });
    for (const [index, offset] of offsets.entries())
      tiles.push({ offset, length: offset === 0 ? 0 : (lengths[index] ?? 0) });
  }
  return tiles;
};

/** The whole tiles around a region, cut off where the level ends. */
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

/** The fields a cut-out needs; types that only BigTIFF has are narrowed. */
export const carriedFields = async (
  file: TiffFile,
  level: StoredLevel,
  signal: AbortSignal,
): Promise<Field[]> => {
  const fields: Field[] = [];
  for (const tag of carried) {
    const entry = level.directory.entries.get(tag);
    if (entry !== undefined) fields.push(await carriedField(file, entry, signal));
  }
  return fields;
};

/** One number as a field of type SHORT. */
export const shortField = (file: TiffFile, tag: number, ...values: readonly number[]): Field => {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries())
    view.setUint16(index * 2, value, file.bytes.littleEndian);
  return { tag, type: 3, count: values.length, bytes };
};

/** Refuses tiles that would take more than `most` bytes once decoded. */
export const checkTile = (level: StoredLevel, most: number): void => {
  // Rows of an uncompressed strip are read one by one, however many there are.
  const rows = isRowByRow(level) ? 1 : level.tile.height;
  const bytes = decodedBytes(level, rows);
  if (bytes > most) tooMuch(bytes, most);
};

const carriedField = async (file: TiffFile, entry: Entry, signal: AbortSignal): Promise<Field> => {
  const bytes = await readBytes(file, entry, { signal, most: largestField });
  if (bytes === undefined)
    return fail("unreadable", `Expected a field ${entry.tag} of modest size in the TIFF.`);
  if (entry.type > 13) {
    const values = await readNumbers(file, entry, { signal });
    return shortField(file, entry.tag, ...values);
  }
  return { tag: entry.tag, type: entry.type, count: entry.count, bytes };
};

const withCompression = (file: TiffFile, fields: readonly Field[], value: number): Field[] => [
  ...fields,
  shortField(file, tags.compression, value),
];

/** Uncompressed strips are rows one after the other: only the wanted ones need reading. */
const isRowByRow = (level: StoredLevel): boolean =>
  level.compression === compressions.none &&
  !level.tiled &&
  !level.planar &&
  level.photometric !== photometrics.yCbCr;

const cutRows = async (
  file: TiffFile,
  level: StoredLevel,
  options: {
    readonly cut: Cut;
    readonly fields: readonly Field[];
    readonly signal: AbortSignal;
  },
): Promise<Cutout> => {
  const { area, stored } = options.cut;
  const rowBytes = decodedBytes(level, 1);
  const { file: assembled, slots } = assembleTiff({
    littleEndian: file.bytes.littleEndian,
    width: area.width,
    height: area.height,
    fields: withCompression(file, options.fields, compressions.none),
    lengths: [rowBytes * area.height],
  });
  const rows = slots[0] ?? new Uint8Array(0);
  const firstStrip = Math.floor(area.y / level.tile.height);
  const pieces: Piece[] = [];
  for (const [index, { offset, length }] of stored.entries()) {
    const stripTop = (firstStrip + index) * level.tile.height;
    const top = Math.max(area.y, stripTop);
    const bottom = Math.min(area.y + area.height, stripTop + level.tile.height);
    const skipped = (top - stripTop) * rowBytes;
    const wantedBytes = (bottom - top) * rowBytes;
    if (length === 0) continue;
    if (skipped + wantedBytes > length)
      fail(
        "unreadable",
        `Expected ${skipped + wantedBytes} bytes in a strip of the TIFF, not ${length}.`,
      );
    const into = rows.subarray((top - area.y) * rowBytes, (bottom - area.y) * rowBytes);
    pieces.push({ offset: offset + skipped, length: wantedBytes, into });
  }
  await file.bytes.fill(pieces, options.signal);
  return { file: assembled, area };
};

/** Tiles that libtiff here cannot decompress, or that are missing, in a form that it can. */
const convert = async (
  file: TiffFile,
  level: StoredLevel,
  options: {
    readonly shape: Omit<Assembly, "fields" | "lengths">;
    /** The first row of the level that is in the shape. */
    readonly top: number;
    readonly fields: readonly Field[];
    readonly stored: readonly StoredTile[];
    readonly most: number;
    readonly signal: AbortSignal;
  },
): Promise<Uint8Array> => {
  const { stored, shape, fields, most, signal } = options;
  const isZstd = level.compression === compressions.zstd;
  const length = decodedBytes(level, level.tile.height);
  if (isZstd && length * stored.length > most) tooMuch(length * stored.length, most);
  const contents: Uint8Array[] = [];
  let empty: Uint8Array | undefined;
  for (const [index, tile] of (await fillTiles(file, stored, signal)).entries()) {
    signal.throwIfAborted();
    if (tile.length === 0) {
      empty ??= isZstd
        ? await asDeflate(new Uint8Array(length))
        : await emptyTile(file, level, signal);
      contents.push(empty);
    } else if (isZstd) {
      const rows = rowsOf(level, { top: options.top, index });
      const bytes = await decompressTile(level.compression, tile, decodedBytes(level, rows));
      contents.push(await asDeflate(bytes));
    } else contents.push(tile);
  }
  // Deflate keeps the predictor in force, which undoing it here would cost more than it saves.
  const compression = isZstd ? compressions.deflate : level.compression;
  const assembled = assembleTiff({
    ...shape,
    fields: withCompression(file, fields, compression),
    lengths: contents.map(({ length }) => length),
  });
  for (const [index, content] of contents.entries()) assembled.slots[index]?.set(content);
  return assembled.file;
};

/** Tiles are whole; the last strip ends with the picture. */
const rowsOf = (
  level: StoredLevel,
  { top, index }: { readonly top: number; readonly index: number },
): number => {
  const { height } = level.tile;
  const strip = (top / height + index) % level.down;
  return level.tiled ? height : Math.min(height, level.size.height - strip * height);
};

const zip = promisify(deflate);
const asDeflate = async (bytes: Uint8Array): Promise<Uint8Array> => zip(bytes, { level: 0 });
/** Runs of neighbouring indices into the offsets: all at once where a row of tiles is wanted whole. */
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

const lengthsOf = async (
  file: TiffFile,
  level: StoredLevel,
  options: { readonly signal: AbortSignal; readonly from: number; readonly to: number },
): Promise<number[]> => {
  if (level.counts !== undefined) return readNumbers(file, level.counts, options);
  if (level.compression !== compressions.none)
    return fail("unreadable", "Expected the lengths of the TIFF's strips; they are not given.");
  const length = decodedBytes(level, level.tile.height);
  return Array.from({ length: options.to - options.from }, () => length);
};

/** Refuses what would take more memory than one picture may. */
export const tooMuch = (bytes: number, most: number): never =>
  fail(
    "unreadable",
    `Expected a TIFF that can be read in pieces of at most ${most} bytes; this one needs ${bytes} at once.`,
  );
