import type { ImageInfo } from "../../../core/info.ts";
import type { Steps } from "../../../core/steps.ts";
import { ByteCache } from "../../shared/index.ts";
import type { CachedParts } from "./cached-parts.ts";
import { type DirectoryEntry, type ListRange, readLists, type TiffFile } from "./directory.ts";
import type { StoredPage } from "./pages.ts";

/** The structure of a TIFF file, without its bytes. */
export interface Structure {
  readonly littleEndian: boolean;
  /** Bytes read together: the blocks of `TiffBytes`. */
  readonly blockSize: number;
  readonly big: boolean;
  readonly directories: TiffFile["directories"];
  readonly pages: readonly [StoredPage, ...StoredPage[]];
  readonly parts: CachedParts;
}

/** A bounded cache of the structures of TIFF files. */
export class TiffStructureCache {
  readonly #structures: ByteCache<ImageInfo, Structure>;
  readonly #parts: Omit<CachedParts, "id">;
  /** Maximum total bytes. */
  readonly maxBytes: number;
  #last = 0;

  constructor(max: number) {
    this.maxBytes = max;
    this.#structures = new ByteCache(max / 4);
    this.#parts = {
      lists: new ByteCache(max / 2),
      fields: new ByteCache(max / 8),
      heads: new ByteCache(max / 8),
    };
  }

  /** Total bytes. */
  get bytes(): number {
    const { lists, fields, heads } = this.#parts;
    return this.#structures.bytes + lists.bytes + fields.bytes + heads.bytes;
  }

  /** How often a file's structure was cached, and how often not. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return this.#structures.tally;
  }

  /** Clears the cache. */
  clear(): void {
    this.#structures.clear();
    const { lists, fields, heads } = this.#parts;
    for (const bound of [lists, fields, heads]) bound.clear();
  }

  /** The slot for the parts of a newly opened file. */
  begin(): CachedParts {
    this.#last++;
    return { id: this.#last, ...this.#parts };
  }

  get(info: ImageInfo): Structure | undefined {
    return this.#structures.get(info);
  }

  set(info: ImageInfo, structure: Structure): void {
    this.#structures.set(info, structure, structureBytes(structure));
  }
}

/** Approximate memory of a structure in bytes. */
const structureBytes = ({ directories, pages }: Structure): number =>
  1_024 +
  directories.reduce((sum, { entries }) => sum + 256 + entries.size * entryBytes, 0) +
  pages.reduce((sum, levels) => sum + levels.length * levelBytes, 0);

const entryBytes = 96;
const levelBytes = 1_024;

/** Numbers of a list that are read and cached together. */
const listPart = 2_048;

const partKey = ({ id }: CachedParts, entry: DirectoryEntry, part: number): string => {
  let keys = partKeys.get(entry);
  if (keys === undefined) {
    keys = new Map();
    partKeys.set(entry, keys);
  }
  let key = keys.get(part);
  if (key === undefined) {
    key = `${id}/${entry.at}/${part}`;
    keys.set(part, key);
  }
  return key;
};

/** Reused, because new strings would be hashed and compared for each tile. */
const partKeys = new WeakMap<DirectoryEntry, Map<number, string>>();

/**
 * Numbers of lists of offsets or lengths, in the order of `lists`; missing ones are read together
 * and cached.
 */
export function* listed(
  file: TiffFile,
  lists: readonly ListRange[],
): Steps<readonly (readonly number[])[]> {
  const { kept } = file;
  // A whole large level is read once; caching it would evict what tiles need.
  if (kept === undefined || lists.some((list) => partsOf(list) > maxParts))
    return yield* readLists(file, lists);
  const parts = new Map<string, ArrayLike<number>>();
  const missing = new Map<string, ListRange>();
  for (const { entry, from, to } of lists)
    for (let part = Math.floor(from / listPart); part * listPart < to; part++) {
      const key = partKey(kept, entry, part);
      const values = parts.get(key) ?? kept.lists.get(key);
      if (values !== undefined) parts.set(key, values);
      else {
        const start = part * listPart;
        missing.set(key, { entry, from: start, to: Math.min(entry.count, start + listPart) });
      }
    }
  if (missing.size > 0) {
    const found = yield* readLists(file, [...missing.values()]);
    for (const [index, key] of [...missing.keys()].entries()) {
      const values = Float64Array.from(found[index] ?? []);
      parts.set(key, values);
      kept.lists.set(key, values, values.byteLength + partBytes);
    }
  }
  return lists.map((list) => numbersIn(list, (part) => parts.get(partKey(kept, list.entry, part))));
}

/** A single number of a list, if cached; undefined otherwise. */
export const cachedNumber = (
  kept: CachedParts,
  entry: DirectoryEntry,
  index: number,
): number | undefined => {
  const part = Math.floor(index / listPart);
  return kept.lists.get(partKey(kept, entry, part))?.[index - part * listPart];
};

/** Number of parts that numbers span. */
const partsOf = ({ from, to }: ListRange): number =>
  Math.ceil(to / listPart) - Math.floor(from / listPart);

const numbersIn = (
  { from, to }: ListRange,
  valuesOf: (part: number) => ArrayLike<number> | undefined,
): readonly number[] => {
  const numbers: number[] = [];
  for (let part = Math.floor(from / listPart); part * listPart < to; part++) {
    const values = valuesOf(part) ?? [];
    const start = part * listPart;
    const last = Math.min(to - start, values.length);
    for (let at = Math.max(0, from - start); at < last; at++) numbers.push(values[at] ?? 0);
  }
  return numbers;
};

const maxParts = 16;
const partBytes = 256;
