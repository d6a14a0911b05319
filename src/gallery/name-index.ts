import type { GalleryEntry } from "./entries.ts";
import { fold } from "./words.ts";

/** Consecutive entries of one folder. */
interface Block {
  readonly kind: GalleryEntry["kind"];
  /** The common prefix of their identifiers or paths, up to the names. */
  readonly prefix: string;
  /** The prefix, folded. */
  readonly place: string;
  /** Names, each followed by a slash, which names do not contain. */
  readonly names: string;
  /** The same, folded. */
  readonly folded: string;
  /** The number of the first entry in the index, and of entries. */
  readonly first: number;
  readonly count: number;
}

/** An entry found by its words. */
export interface Found {
  readonly entry: GalleryEntry;
  /** The number of the entry after it. */
  readonly next: number;
}

/**
 * An index of names in the order in which they were added. The names of a folder are one string,
 * since separate strings would take several times the memory.
 */
export class NameIndex {
  readonly #blocks: Block[] = [];
  readonly #maxNames: number;
  #characters = 0;
  #size = 0;

  constructor(maxNames: number) {
    this.#maxNames = maxNames;
  }

  /** Number of entries. */
  get size(): number {
    return this.#size;
  }

  /** Whether the index is full. */
  get isFull(): boolean {
    return this.#size >= this.#maxNames || this.#characters >= maxCharacters;
  }

  /** Adds entries until the index is full. */
  add(entries: readonly GalleryEntry[]): void {
    let run: GalleryEntry[] = [];
    for (const entry of entries.slice(0, this.#maxNames - this.#size)) {
      const [before] = run;
      if (before && (before.kind !== entry.kind || prefixOf(before) !== prefixOf(entry))) {
        this.#addRun(before, run);
        run = [];
      }
      run.push(entry);
    }
    const [begun] = run;
    if (begun) this.#addRun(begun, run);
  }

  #addRun(begun: GalleryEntry, run: readonly GalleryEntry[]): void {
    if (this.isFull) return;
    const prefix = prefixOf(begun);
    const names = run.map(({ name }) => `${name}/`).join("");
    const folded = fold(names);
    const [first, count] = [this.#size, run.length];
    this.#blocks.push({
      kind: begun.kind,
      prefix,
      place: fold(prefix),
      names,
      folded: folded === names ? names : folded,
      first,
      count,
    });
    this.#size += count;
    this.#characters += prefix.length + names.length + folded.length;
  }

  /**
   * The entries from number `from` on that have all words (folded) in their names and folders, and
   * at least one of them in their names.
   */
  *find(words: readonly string[], from: number): Generator<Found, void, undefined> {
    for (const block of this.#blocksFrom(from)) yield* foundIn(block, words, from);
  }

  *#blocksFrom(from: number): Generator<Block, void, undefined> {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { first, count } = this.#blocks[middle] as Block;
      if (first + count <= from) low = middle + 1;
      else high = middle;
    }
    // By number, since blocks may be added in the meantime.
    for (let at = low; at < this.#blocks.length; at++) yield this.#blocks[at] as Block;
  }
}

/** Maximum number of characters of all names, 1 to 2 bytes each; a limit for very long names. */
const maxCharacters = 32_000_000;

const pathOf = (entry: GalleryEntry): string =>
  entry.kind === "folder" ? entry.path : entry.identifier;

const prefixOf = (entry: GalleryEntry): string => {
  const path = pathOf(entry);
  return path.slice(0, path.length - entry.name.length);
};

function* foundIn(
  block: Block,
  words: readonly string[],
  from: number,
): Generator<Found, void, undefined> {
  const { place, folded, names, first } = block;
  const needed = words.filter((word) => !place.includes(word));
  // Most folders have no such names, which a single search of the whole string shows.
  if (!needed.every((word) => folded.includes(word))) return;
  if (needed.length === 0 && !words.some((word) => folded.includes(word))) return;
  let [start, foldedStart] = [0, 0];
  for (let number = first; start < names.length; number++) {
    const end = names.indexOf("/", start);
    const foldedEnd = folded.indexOf("/", foldedStart);
    if (number >= from) {
      const name = folded.slice(foldedStart, foldedEnd);
      const has = (word: string): boolean => name.includes(word);
      if (needed.every(has) && words.some(has))
        yield { entry: entryOf(block, names.slice(start, end)), next: number + 1 };
    }
    [start, foldedStart] = [end + 1, foldedEnd + 1];
  }
}

const entryOf = ({ kind, prefix }: Block, name: string): GalleryEntry =>
  kind === "folder"
    ? { kind, name, path: prefix + name }
    : { kind, name, identifier: prefix + name };
