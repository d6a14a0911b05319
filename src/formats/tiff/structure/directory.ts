import { fail } from "../../../core/errors.ts";
import type { ByteRange } from "../../../core/range-reader.ts";
import type { Steps } from "../../../core/steps.ts";
import type { TiffBytes } from "./bytes.ts";
import type { CachedParts } from "./cached-parts.ts";

/** Number of directories between yields: reading cached data never yields by itself. */
export const directoriesAtOnce = 256;
const maxValues = 4_194_304;

/** One field of a directory: the position of its values, not the values themselves. */
export interface DirectoryEntry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** Position of the first value in the file. */
  readonly at: number;
}

/** One image file directory. Fields the server does not use are omitted. */
export interface Directory {
  /** Position in the file. */
  readonly at: number;
  readonly entries: ReadonlyMap<number, DirectoryEntry>;
  /** The directories that SubIFDs (330) leads to, including chains, in file order. */
  readonly children: readonly Directory[];
}

/** The directories of a TIFF or BigTIFF file, without pixels and long arrays. */
export interface TiffFile {
  readonly bytes: TiffBytes;
  readonly big: boolean;
  /** The main chain; never empty. */
  readonly directories: readonly Directory[];
  /** The caches of this file. */
  readonly kept?: CachedParts;
}

/** The numbers of a field, or a half-open range of them. */
export function* readNumbers(
  file: Pick<TiffFile, "bytes">,
  entry: DirectoryEntry,
  { from = 0, to = entry.count }: { readonly from?: number; readonly to?: number } = {},
): Steps<number[]> {
  const [numbers = []] = yield* readLists(file, [{ entry, from, to }]);
  return numbers;
}

/** A half-open range of a field's numbers. */
export interface ListRange {
  readonly entry: DirectoryEntry;
  readonly from: number;
  readonly to: number;
}

/** As `readNumbers`, of several fields, read together. */
export function* readLists(
  { bytes }: Pick<TiffFile, "bytes">,
  lists: readonly ListRange[],
): Steps<number[][]> {
  const views = yield* bytes.views(lists.map(rangeOf));
  return lists.map(({ entry, from, to }, index) => {
    const view = views[index];
    if (view === undefined) return [];
    const size = valueSizes[entry.type] ?? 0;
    const read = readerOf(entry.type, view, bytes.littleEndian);
    return Array.from({ length: to - from }, (_, number) => read(number * size));
  });
}

const rangeOf = ({ entry, from, to }: ListRange): ByteRange => {
  const size = valueSizes[entry.type] ?? 0;
  if (size === 0 || to > entry.count || to - from > maxValues)
    fail("unreadable", `Field ${entry.tag} of the TIFF has no valid number.`);
  return { offset: entry.at + from * size, length: (to - from) * size };
};

/** The bytes of a field as in the file; undefined for more than `max`. */
export function* readBytes(
  file: TiffFile,
  entry: DirectoryEntry,
  max: number,
): Steps<Uint8Array | undefined> {
  const length = entry.count * (valueSizes[entry.type] ?? 0);
  if (length > max) return undefined;
  const view = yield* file.bytes.view(entry.at, length);
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Bytes per value by field type; 0 for unknown types. */
export const valueSizes: readonly number[] = [
  0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8,
];

/** A number of 8 bytes, as BigTIFF has for positions and counts. */
export const wide = (view: DataView, at: number, littleEndian: boolean): number =>
  Number(view.getBigUint64(at, littleEndian));

const readerOf = (
  type: number,
  view: DataView,
  littleEndian: boolean,
): ((at: number) => number) => {
  switch (type) {
    case 3:
      return (at) => view.getUint16(at, littleEndian);
    case 4:
    case 13:
      return (at) => view.getUint32(at, littleEndian);
    case 5:
      return (at) => view.getUint32(at, littleEndian) / view.getUint32(at + 4, littleEndian);
    case 6:
      return (at) => view.getInt8(at);
    case 8:
      return (at) => view.getInt16(at, littleEndian);
    case 9:
      return (at) => view.getInt32(at, littleEndian);
    case 10:
      return (at) => view.getInt32(at, littleEndian) / view.getInt32(at + 4, littleEndian);
    case 11:
      return (at) => view.getFloat32(at, littleEndian);
    case 12:
      return (at) => view.getFloat64(at, littleEndian);
    case 16:
    case 18:
      return (at) => wide(view, at, littleEndian);
    case 17:
      return (at) => Number(view.getBigInt64(at, littleEndian));
    default:
      return (at) => view.getUint8(at);
  }
};
