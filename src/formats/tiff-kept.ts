import type { ImageInfo } from "../core/info.ts";
import { type Entry, readNumbers, type TiffFile } from "./tiff-directory.ts";
import { ByteBound, type KeptParts } from "./tiff-memory.ts";
import type { StoredPage } from "./tiff-pages.ts";

/** The structure of a TIFF file, without its bytes. */
export interface Structure {
  readonly littleEndian: boolean;
  readonly big: boolean;
  readonly directories: TiffFile["directories"];
  readonly pages: readonly [StoredPage, ...StoredPage[]];
  readonly parts: KeptParts;
}

/** What was read of TIFF files, within a bound of bytes. */
export class TiffKept {
  readonly #structures: ByteBound<ImageInfo, Structure>;
  readonly #parts: Omit<KeptParts, "id">;
  /** The most that all may take, in bytes. */
  readonly mostBytes: number;
  #last = 0;

  constructor(most: number) {
    this.mostBytes = most;
    this.#structures = new ByteBound(most / 4);
    this.#parts = {
      lists: new ByteBound(most / 2),
      fields: new ByteBound(most / 8),
      heads: new ByteBound(most / 8),
    };
  }

  /** What all that is kept takes, in bytes. */
  get bytes(): number {
    const { lists, fields, heads } = this.#parts;
    return this.#structures.bytes + lists.bytes + fields.bytes + heads.bytes;
  }

  /** How often the structure of a file was there, and how often not. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return this.#structures.tally;
  }

  /** Lets go of all. */
  clear(): void {
    this.#structures.clear();
    const { lists, fields, heads } = this.#parts;
    for (const bound of [lists, fields, heads]) bound.clear();
  }

  /** Room for the parts of a file that was just opened. */
  begin(): KeptParts {
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

/** About how many bytes a structure takes in memory. */
const structureBytes = ({ directories, pages }: Structure): number =>
  1_024 +
  directories.reduce((sum, { entries }) => sum + 256 + entries.size * entryBytes, 0) +
  pages.reduce((sum, levels) => sum + levels.length * levelBytes, 0);

const entryBytes = 96;
const levelBytes = 1_024;

/** How many numbers of a list are read and kept together. */
const listPart = 2_048;

/** One number of a list of offsets or lengths, where it was read before and is kept. */
export const listedAtHand = (kept: KeptParts, entry: Entry, index: number): number | undefined =>
  kept.lists.get(partKey(kept, entry, Math.floor(index / listPart)))?.[index % listPart];

const partKey = ({ id }: KeptParts, { at }: Entry, part: number): string => `${id}/${at}/${part}`;

/** Numbers `from` to before `to` of a list of offsets or lengths, kept for who asks next. */
export const listed = async (
  file: TiffFile,
  entry: Entry,
  range: { readonly signal: AbortSignal; readonly from: number; readonly to: number },
): Promise<number[]> => {
  const { from, to, signal } = range;
  const { kept } = file;
  const parts = Math.ceil(to / listPart) - Math.floor(from / listPart);
  // A whole large level passes through once; keeping it would push out what tiles need.
  if (kept === undefined || parts > mostParts) return readNumbers(file, entry, range);
  const numbers: number[] = [];
  for (let part = Math.floor(from / listPart); part * listPart < to; part++) {
    const start = part * listPart;
    const key = partKey(kept, entry, part);
    let values = kept.lists.get(key);
    if (values === undefined) {
      const end = Math.min(entry.count, start + listPart);
      values = Float64Array.from(await readNumbers(file, entry, { signal, from: start, to: end }));
      kept.lists.set(key, values, values.byteLength + partBytes);
    }
    const last = Math.min(to - start, values.length);
    for (let at = Math.max(0, from - start); at < last; at++) numbers.push(values[at] ?? 0);
  }
  return numbers;
};

const mostParts = 16;
const partBytes = 256;
