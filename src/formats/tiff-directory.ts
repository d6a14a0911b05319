import { fail } from "../core/errors.ts";
import type { ByteRange } from "../core/range-reader.ts";
import { readOne, rest, type Steps } from "../core/steps.ts";
import { blockSize, TiffBytes } from "./tiff-bytes.ts";
import type { KeptParts } from "./tiff-memory.ts";
import { isKept, tags } from "./tiff-tags.ts";

/** So much of the end of a file, in bytes, is read together. */
const tail = 3 * blockSize;
const mostEntries = 4_096;
const mostDirectories = 10_000;
/** After so many, others get their turn: reading what lies in memory never leaves the event loop by itself. */
export const directoriesAtOnce = 256;
const mostSubdirectories = 64;
const mostValues = 4_194_304;

/** One field of a directory: where its values are, not the values themselves. */
export interface Entry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** Position of the first value in the file. */
  readonly at: number;
}

/** One image file directory. Fields the server has no use for are left out. */
export interface Directory {
  /** Position in the file. */
  readonly at: number;
  readonly entries: ReadonlyMap<number, Entry>;
  /** The directories that SubIFDs (330) leads to, chains included, in file order. */
  readonly children: readonly Directory[];
}

/** A TIFF or BigTIFF file by its directories; pixels and long arrays stay unread. */
export interface TiffFile {
  readonly bytes: TiffBytes;
  readonly big: boolean;
  /** The main chain; never empty. */
  readonly directories: readonly Directory[];
  /** What was read of this file before, and where what is read now may be kept. */
  readonly kept?: KeptParts;
}

/** Reads all directories of a file of so many bytes; throws `unreadable` on loops, overlaps and absurd counts. */
export function* readTiff(size: number): Steps<TiffFile> {
  const start = yield* readOne({ offset: 0, length: Math.min(size, blockSize) });
  const littleEndian = start[0] === 0x49;
  const bytes = new TiffBytes(size, littleEndian, start);
  const header = yield* bytes.view(0, 8);
  const mark = header.getUint16(0, false);
  const version = header.getUint16(2, littleEndian);
  if ((mark !== 0x4949 && mark !== 0x4d4d) || (version !== 42 && version !== 43))
    fail("unreadable", "Expected a TIFF; its first bytes are not those of one.");
  const big = version === 43;
  const first = big
    ? wide(yield* bytes.view(8, 8), 0, littleEndian)
    : header.getUint32(4, littleEndian);
  const directories = yield* new DirectoryReader(bytes, big).chain(first, 0);
  if (directories.length === 0)
    fail("unreadable", "Expected a TIFF with a picture in it; it has no directory.");
  return { bytes, big, directories };
}

/** The numbers of a field, or those from index `from` to before `to`. */
export function* readNumbers(
  file: TiffFile,
  entry: Entry,
  { from = 0, to = entry.count }: { readonly from?: number; readonly to?: number } = {},
): Steps<number[]> {
  const [numbers = []] = yield* readLists(file, [{ entry, from, to }]);
  return numbers;
}

/** Numbers of a field, from index `from` to before `to`. */
export interface ListRange {
  readonly entry: Entry;
  readonly from: number;
  readonly to: number;
}

/** As `readNumbers`, of several fields, read together. */
export function* readLists(file: TiffFile, lists: readonly ListRange[]): Steps<number[][]> {
  const { bytes } = file;
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
  if (size === 0 || to > entry.count || to - from > mostValues)
    fail("unreadable", `Expected numbers in field ${entry.tag} of the TIFF; it has none that fit.`);
  return { offset: entry.at + from * size, length: (to - from) * size };
};

/** The bytes of a field as they are in the file; undefined when there are more than `most`. */
export function* readBytes(
  file: TiffFile,
  entry: Entry,
  most: number,
): Steps<Uint8Array | undefined> {
  const length = entry.count * (valueSizes[entry.type] ?? 0);
  if (length > most) return undefined;
  const view = yield* file.bytes.view(entry.at, length);
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Bytes per value by field type; 0 for types that do not exist. */
const valueSizes: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

const wide = (view: DataView, at: number, littleEndian: boolean): number =>
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

/** Walks the directories of one file and remembers where it has been. */
class DirectoryReader {
  readonly #bytes: TiffBytes;
  readonly #big: boolean;
  readonly #seen = new Set<number>();
  /** What directories take up, in order of position. */
  readonly #taken: { readonly from: number; readonly to: number }[] = [];

  constructor(bytes: TiffBytes, big: boolean) {
    this.#bytes = bytes;
    this.#big = big;
  }

  /** The directories from `first` on, each pointing to the next; `depth` counts SubIFDs. */
  *chain(first: number, depth: number): Steps<Directory[]> {
    const chain: Directory[] = [];
    for (let at = first; at !== 0; ) {
      if (this.#seen.has(at))
        fail("unreadable", "Expected a TIFF whose directories end; they lead back to themselves.");
      if (this.#seen.size >= mostDirectories)
        fail(
          "unreadable",
          `Expected a TIFF of at most ${mostDirectories} directories; it has more.`,
        );
      this.#seen.add(at);
      if (this.#seen.size % directoriesAtOnce === 0) yield* rest();
      const { entries, next } = yield* this.#read(at);
      const children = yield* this.#children(entries.get(tags.subIfds), depth);
      chain.push({ at, entries, children });
      at = next;
    }
    return chain;
  }

  *#children(entry: Entry | undefined, depth: number): Steps<readonly Directory[]> {
    // Deeper nesting than a level's own is no pyramid, and following it would cost for nothing.
    if (entry === undefined || depth > 0 || entry.count > mostSubdirectories) return [];
    const file = { bytes: this.#bytes, big: this.#big, directories: [] };
    const children: Directory[] = [];
    // Writers that chain their SubIFDs also list them: those were met already.
    for (const at of yield* readNumbers(file, entry))
      if (at !== 0 && !this.#seen.has(at)) children.push(...(yield* this.chain(at, depth + 1)));
    return children;
  }

  *#read(at: number): Steps<{ entries: Map<number, Entry>; next: number }> {
    const { littleEndian, size } = this.#bytes;
    // Writers put the directories of the smallest levels at the end, each behind its tiles: one read is enough.
    if (size - at <= tail) yield* this.#bytes.view(at, Math.max(0, size - at));
    const countSize = this.#big ? 8 : 2;
    const entrySize = this.#big ? 20 : 12;
    const offsetSize = this.#big ? 8 : 4;
    const head = yield* this.#bytes.view(at, countSize);
    const count = this.#big ? wide(head, 0, littleEndian) : head.getUint16(0, littleEndian);
    if (count === 0 || count > mostEntries)
      fail(
        "unreadable",
        `Expected 1 to ${mostEntries} fields in a TIFF directory; it has ${count}.`,
      );
    const body = at + countSize;
    this.#take(at, body + count * entrySize);
    const view = yield* this.#bytes.view(body, count * entrySize);
    const entries = new Map<number, Entry>();
    for (let index = 0; index < count; index++) {
      const entry = this.#entry(view, { base: body, offset: index * entrySize, offsetSize });
      if (entry !== undefined && !entries.has(entry.tag)) entries.set(entry.tag, entry);
    }
    return { entries, next: yield* this.#next(body + count * entrySize, offsetSize) };
  }

  /** Directories within directories are no file's honest shape, and reading them never ends. */
  #take(from: number, to: number): void {
    let low = 0;
    for (let high = this.#taken.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#taken[middle]?.from ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    const before = this.#taken[low - 1];
    const after = this.#taken[low];
    if ((before !== undefined && before.to > from) || (after !== undefined && after.from < to))
      fail("unreadable", "Expected a TIFF whose directories lie apart; two of them overlap.");
    this.#taken.splice(low, 0, { from, to });
  }

  /** Writers of single pictures leave the link out at the end of the file: that is no damage. */
  *#next(at: number, offsetSize: number): Steps<number> {
    if (at + offsetSize > this.#bytes.size) return 0;
    const view = yield* this.#bytes.view(at, offsetSize);
    const { littleEndian } = this.#bytes;
    return this.#big ? wide(view, 0, littleEndian) : view.getUint32(0, littleEndian);
  }

  #entry(
    view: DataView,
    place: { readonly base: number; readonly offset: number; readonly offsetSize: number },
  ): Entry | undefined {
    const { base, offset, offsetSize } = place;
    const { littleEndian } = this.#bytes;
    const tag = view.getUint16(offset, littleEndian);
    const type = view.getUint16(offset + 2, littleEndian);
    const size = valueSizes[type] ?? 0;
    if (size === 0 || !isKept(tag)) return undefined;
    const count = this.#big
      ? wide(view, offset + 4, littleEndian)
      : view.getUint32(offset + 4, littleEndian);
    const valueAt = offset + 4 + offsetSize;
    if (count * size <= offsetSize) return { tag, type, count, at: base + valueAt };
    const at = this.#big
      ? wide(view, valueAt, littleEndian)
      : view.getUint32(valueAt, littleEndian);
    return { tag, type, count, at };
  }
}
