import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { fail } from "../../../core/errors.ts";
import type { Rect } from "../../../core/geometry.ts";
import { complete, type ReadRange, type Steps, work } from "../../../core/steps.ts";
import type { DecodeSamples } from "../codecs/index.ts";
import {
  type AssembledField,
  type Assembly,
  assembleTiff,
  carriedFields,
  compressions,
  decodedBytes,
  decodedPhotometric,
  isOfNumbers,
  type StoredLevel,
  shortField,
  type TiffFile,
  tags,
} from "../structure/index.ts";
import { emptyTile } from "./empty.ts";
import {
  checkTile,
  codedFor,
  fillTiles,
  inTurn,
  isRowByRow,
  type LevelRequest,
  rowsOf,
  type StoredTile,
  storedTiles,
  tilesAround,
  tooMuch,
} from "./tiles.ts";

/** A TIFF of a few tiles in memory, and the part of the level that it shows. */
export interface Cutout {
  readonly file: Uint8Array;
  readonly area: Rect;
}

/** The layout of a cut, before reading any pixels. */
export interface TileCut {
  readonly area: Rect;
  readonly stored: readonly StoredTile[];
  /** Bytes of all stored tiles or rows together. */
  readonly bytes: number;
  /**
   * False for tiles that libtiff cannot read as they are: missing ones, and those of other
   * compressions.
   */
  readonly plain: boolean;
}

/** Finds the stored tiles or strips that a region of a level touches. */
export function* planCut(
  file: TiffFile,
  level: StoredLevel,
  { region, max }: LevelRequest,
): Steps<TileCut> {
  checkTile(level, max);
  const rows = isRowByRow(level);
  const area = rows
    ? { x: 0, y: region.y, width: level.size.width, height: region.height }
    : tilesAround(level, region);
  const stored = yield* storedTiles(file, level, tilesAround(level, region));
  const bytes = rows
    ? decodedBytes(level, 1) * area.height
    : stored.reduce((sum, { length }) => sum + length, 0);
  const plain = !isDecodedHere(level) && stored.every(({ length }) => length > 0);
  return { area, stored, bytes, plain };
}

/** Compressions that our build of libtiff cannot decode, or, as ThunderScan, not well enough. */
export const isDecodedHere = ({ compression }: StoredLevel): boolean =>
  keepsPredictor(compression) ||
  compression === compressions.thunderScan ||
  isOfNumbers(compression);

const keepsPredictor = (compression: number): boolean =>
  compression === compressions.zstd || compression === compressions.lzma;

/** Puts the tiles or strips of a plan into a TIFF of their own, undecoded. */
export function* cutTiles(
  file: TiffFile,
  level: StoredLevel,
  options: { readonly cut: TileCut; readonly max: number; readonly decode: DecodeSamples },
): Steps<Cutout> {
  const { cut, max, decode } = options;
  if (cut.bytes > max) tooMuch(cut.bytes, max);
  const fields = yield* carriedFields(file, level);
  const { area, stored } = cut;
  if (isRowByRow(level)) return yield* cutRows(file, level, { cut, fields });
  const shape = {
    littleEndian: file.bytes.littleEndian,
    width: area.width,
    height: area.height,
    ...(level.tiled ? { tile: level.tile } : { rowsPerStrip: level.tile.height }),
  };
  if (!cut.plain)
    return {
      file: yield* convert(file, level, { shape, area, fields, stored, max, decode }),
      area,
    };
  const assembled = assembleTiff({
    ...shape,
    fields: withCompression(file, fields, level.compression),
    lengths: stored.map(({ length }) => length),
  });
  const ranges = stored.map(({ offset, length }, index): ReadRange => {
    return { offset, length, into: assembled.slots[index] ?? new Uint8Array(0) };
  });
  yield* file.bytes.read(ranges);
  return { file: assembled.file, area };
}

const withCompression = (
  file: TiffFile,
  fields: readonly AssembledField[],
  value: number,
): AssembledField[] => [...fields, shortField(file, tags.compression, value)];

function* cutRows(
  file: TiffFile,
  level: StoredLevel,
  options: { readonly cut: TileCut; readonly fields: readonly AssembledField[] },
): Steps<Cutout> {
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
  const ranges: ReadRange[] = [];
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
        `Truncated TIFF strip: expected ${skipped + wantedBytes} bytes, found ${length}.`,
      );
    const into = rows.subarray((top - area.y) * rowBytes, (bottom - area.y) * rowBytes);
    ranges.push({ offset: offset + skipped, length: wantedBytes, into });
  }
  yield* file.bytes.read(ranges);
  return { file: assembled, area };
}

/**
 * Replaces tiles that our build of libtiff cannot decompress, and missing ones, by a form that it
 * can.
 */
function* convert(
  file: TiffFile,
  level: StoredLevel,
  options: {
    readonly shape: Omit<Assembly, "fields" | "lengths">;
    readonly area: Rect;
    readonly fields: readonly AssembledField[];
    readonly stored: readonly StoredTile[];
    readonly max: number;
    readonly decode: DecodeSamples;
  },
): Steps<Uint8Array> {
  const { stored, shape, area, max, decode } = options;
  const undone = isDecodedHere(level);
  const length = decodedBytes(level, level.tile.height);
  if (undone && length * stored.length > max) tooMuch(length * stored.length, max);
  const coded = yield* codedFor(file, level);
  const tiles = yield* fillTiles(file, stored);
  const contents = yield* work({
    async away(signal, reader) {
      const contents: Uint8Array[] = [];
      let empty: Promise<Uint8Array> | undefined;
      await inTurn(tiles, { concurrency: tiles.length, signal }, async (bytes, index) => {
        if (bytes.length === 0) {
          empty ??= undone
            ? wrapped(level, new Uint8Array(length))
            : complete(emptyTile(file, level), reader, signal);
          contents[index] = await empty;
        } else if (undone) {
          const rows = rowsOf(level, area, index);
          contents[index] = await wrapped(level, await decode({ ...coded, bytes, rows }, signal));
        } else contents[index] = bytes;
      });
      return contents;
    },
  });
  const assembled = assembleTiff({
    ...shape,
    fields: undone
      ? fieldsOfUndone(file, level, options.fields)
      : withCompression(file, options.fields, level.compression),
    lengths: contents.map(({ length }) => length),
  });
  for (const [index, content] of contents.entries()) assembled.slots[index]?.set(content);
  return assembled.file;
}

/** Deflate keeps the predictor; undoing it here would cost more than it saves. */
const wrapped = async (level: StoredLevel, bytes: Uint8Array): Promise<Uint8Array> =>
  keepsPredictor(level.compression) ? zip(bytes, { level: 0 }) : bytes;

const fieldsOfUndone = (
  file: TiffFile,
  { compression, photometric }: StoredLevel,
  fields: readonly AssembledField[],
): AssembledField[] => [
  ...withCompression(
    file,
    fields.filter(({ tag }) => tag !== tags.photometric && !ofYcc.has(tag)),
    keepsPredictor(compression) ? compressions.deflate : compressions.none,
  ),
  shortField(file, tags.photometric, decodedPhotometric(compression, photometric)),
];

/** Fields on how YCbCr is stored, which do not apply to decoded tiles. */
const ofYcc: ReadonlySet<number> = new Set([tags.yCbCrSubSampling, tags.yCbCrPositioning]);

const zip = promisify(deflate);
