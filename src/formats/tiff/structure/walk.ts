import { fail } from "../../../core/errors.ts";
import { readOne, type Steps, yieldToEventLoop } from "../../../core/steps.ts";
import { blockSize, farBlockSize, TiffBytes } from "./bytes.ts";
import {
  type Directory,
  type DirectoryEntry,
  directoriesAtOnce,
  readNumbers,
  type TiffFile,
  valueSizes,
  wide,
} from "./directory.ts";
import { aheadFar, aheadNear, type ReadAhead } from "./read-ahead.ts";
import { isKept, tags } from "./tags.ts";

const maxEntries = 4_096;
const maxDirectories = 10_000;
const maxSubdirectories = 64;

/** Options of reading directories. */
export interface Executions {
  /**
   * Whether each read costs a request: then less is read, with what may be needed next in the same
   * request.
   */
  readonly isFar?: boolean;
  /**
   * Maximum number of directories of the main chain, and then nothing below SubIFDs fields; absent:
   * all.
   */
  readonly max?: number;
}

/** Directories of a file, and where the rest is. */
export interface WalkedDirectories {
  readonly file: TiffFile;
  /** The position of the directory after the last one that was read; 0 at the end of the chain. */
  readonly next: number;
}

/**
 * Reads all directories of a file of so many bytes; throws `unreadable` for loops, overlaps and
 * absurd counts.
 */
export function* readTiff(size: number, isFar = false): Steps<TiffFile> {
  const { file } = yield* walkTiff(size, { isFar });
  return file;
}

/** Reads the first directories of a file of so many bytes, or all; throws as `readTiff` does. */
export function* walkTiff(
  size: number,
  { isFar = false, max }: Executions,
): Steps<WalkedDirectories> {
  const start = yield* readOne({ offset: 0, length: Math.min(size, blockSize) });
  const littleEndian = start[0] === 0x49;
  const bytes = new TiffBytes(size, littleEndian, {
    start,
    ...(isFar ? { blockSize: farBlockSize } : {}),
  });
  const header = yield* bytes.view(0, 8);
  const mark = header.getUint16(0, false);
  const version = header.getUint16(2, littleEndian);
  if ((mark !== 0x4949 && mark !== 0x4d4d) || (version !== 42 && version !== 43))
    fail("unreadable", "Expected a TIFF; it has a different signature.");
  const big = version === 43;
  const first = big
    ? wide(yield* bytes.view(8, 8), 0, littleEndian)
    : header.getUint32(4, littleEndian);
  const reader = new DirectoryReader(bytes, big, isFar ? aheadFar : aheadNear);
  const { chain, next } = yield* reader.chain(first, { max });
  if (chain.length === 0) fail("unreadable", "Expected a TIFF with an image; it has no directory.");
  return { file: { bytes, big, directories: chain }, next };
}

/** Walks the directories of one file and records visited ones. */
class DirectoryReader {
  readonly #bytes: TiffBytes;
  readonly #big: boolean;
  readonly #ahead: ReadAhead;
  readonly #seen = new Set<number>();
  /** The ranges of directories, in order of position. */
  readonly #taken: { readonly from: number; readonly to: number }[] = [];

  constructor(bytes: TiffBytes, big: boolean, ahead: ReadAhead) {
    this.#bytes = bytes;
    this.#big = big;
    this.#ahead = ahead;
  }

  /**
   * The directories from `first` on, each linking to the next, and the position of the one after
   * the last, 0 where there is none. With a maximum, none below SubIFDs fields; `depth` counts
   * these.
   */
  *chain(
    first: number,
    { depth = 0, max }: { readonly depth?: number; readonly max?: number | undefined } = {},
  ): Steps<{ readonly chain: readonly Directory[]; readonly next: number }> {
    const chain: Directory[] = [];
    let at = first;
    while (at !== 0 && chain.length !== max) {
      if (this.#seen.has(at)) fail("unreadable", "The TIFF directories form a loop.");
      if (this.#seen.size >= maxDirectories)
        fail(
          "unreadable",
          `Expected a TIFF of at most ${maxDirectories} directories; it has more.`,
        );
      this.#seen.add(at);
      if (this.#seen.size % directoriesAtOnce === 0) yield* yieldToEventLoop();
      yield* this.#ahead.directory(this.#bytes, { at, before: chain, depth });
      const { entries, next } = yield* this.#read(at);
      const children =
        max === undefined ? yield* this.#children(entries.get(tags.subIfds), depth) : [];
      chain.push({ at, entries, children });
      at = next;
    }
    return { chain, next: at };
  }

  *#children(entry: DirectoryEntry | undefined, depth: number): Steps<readonly Directory[]> {
    // Deeper nesting than a level's own is not a pyramid, and following it would be wasted.
    if (entry === undefined || depth > 0 || entry.count > maxSubdirectories) return [];
    const children: Directory[] = [];
    // Writers that chain their SubIFDs also list them: those were visited already.
    const places = yield* readNumbers({ bytes: this.#bytes }, entry);
    yield* this.#ahead.children(this.#bytes, places);
    for (const at of places)
      if (at !== 0 && !this.#seen.has(at))
        children.push(...(yield* this.chain(at, { depth: depth + 1 })).chain);
    return children;
  }

  *#read(at: number): Steps<{ entries: Map<number, DirectoryEntry>; next: number }> {
    const { littleEndian } = this.#bytes;
    const countSize = this.#big ? 8 : 2;
    const entrySize = this.#big ? 20 : 12;
    const offsetSize = this.#big ? 8 : 4;
    const head = yield* this.#bytes.view(at, countSize);
    const count = this.#big ? wide(head, 0, littleEndian) : head.getUint16(0, littleEndian);
    if (count === 0 || count > maxEntries)
      fail(
        "unreadable",
        `Expected 1 to ${maxEntries} fields in a TIFF directory; it has ${count}.`,
      );
    const body = at + countSize;
    this.#take(at, body + count * entrySize);
    const view = yield* this.#bytes.view(body, count * entrySize);
    const entries = new Map<number, DirectoryEntry>();
    for (let index = 0; index < count; index++) {
      const entry = this.#entry(view, { base: body, offset: index * entrySize, offsetSize });
      if (entry !== undefined && !entries.has(entry.tag)) entries.set(entry.tag, entry);
    }
    return { entries, next: yield* this.#next(body + count * entrySize, offsetSize) };
  }

  /** Overlapping directories are never valid, and reading them may never end. */
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
      fail("unreadable", "Two TIFF directories overlap.");
    this.#taken.splice(low, 0, { from, to });
  }

  /** Writers of single images omit the link at the end of the file, which is harmless. */
  *#next(at: number, offsetSize: number): Steps<number> {
    if (at + offsetSize > this.#bytes.size) return 0;
    const view = yield* this.#bytes.view(at, offsetSize);
    const { littleEndian } = this.#bytes;
    return this.#big ? wide(view, 0, littleEndian) : view.getUint32(0, littleEndian);
  }

  #entry(
    view: DataView,
    place: { readonly base: number; readonly offset: number; readonly offsetSize: number },
  ): DirectoryEntry | undefined {
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
