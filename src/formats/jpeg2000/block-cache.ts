import { styles } from "./segments.ts";

/** Blocks that were decoded, in memory that all threads share: page after page, each with blocks that were decoded together. */
export class BlockCache {
  /** The memory; blocks are at multiples of 16. */
  readonly memory: SharedArrayBuffer;
  /** Pages that nobody uses. */
  readonly #free: number[];
  /** The others, the least recently used first. */
  readonly #used = new Set<Page>();

  /** Of so many bytes, which take memory only as they are used. */
  constructor(bytes: number) {
    const pages = Math.floor(bytes / pageBytes);
    this.memory = new SharedArrayBuffer(pages * pageBytes);
    this.#free = Array.from({ length: pages }, (_, page) => (pages - 1 - page) * pageBytes);
  }

  /** Begins with one job's blocks; `settle` has to be called in the end. */
  begin(blocks: KeptBlocks): BlockKeeping {
    return new BlockKeeping(blocks, {
      touch: (page) => {
        this.#used.delete(page);
        this.#used.add(page);
      },
      take: () => this.#take(),
      give: (page) => {
        this.#drop(page);
        this.#free.push(page.at);
      },
      most: this.memory.byteLength / pageBytes / 4,
    });
  }

  #take(): Page | undefined {
    const at = this.#free.pop() ?? this.#evict();
    if (at === undefined) return undefined;
    const page: Page = { at, users: 0, blocks: [] };
    this.#used.add(page);
    return page;
  }

  /** Makes room; undefined where all pages are in use just now. */
  #evict(): number | undefined {
    for (const page of this.#used)
      if (page.users === 0) {
        this.#drop(page);
        return page.at;
      }
    return undefined;
  }

  #drop(page: Page): void {
    this.#used.delete(page);
    for (const { own, number } of page.blocks)
      if (own.get(number)?.page === page) own.delete(number);
  }
}

/** Where the blocks of a tile are kept, by their numbers. */
export type KeptBlocks = Map<number, { readonly page: Page; readonly at: number }>;

/** The largest block takes one, and is 16 bits or 32 bits of 4,096 coefficients. */
const pageBytes = 16_384;

interface Page {
  readonly at: number;
  /** Jobs that read or write it just now. */
  users: number;
  readonly blocks: { readonly own: KeptBlocks; readonly number: number }[];
}

interface Pages {
  touch(page: Page): void;
  take(): Page | undefined;
  give(page: Page): void;
  /** A single job takes no more than this. */
  readonly most: number;
}

/** What one job takes from the cache, and what it leaves there. */
export class BlockKeeping {
  readonly #own: KeptBlocks;
  readonly #pages: Pages;
  readonly #read = new Set<Page>();
  readonly #written: { readonly page: Page; readonly number: number; readonly at: number }[] = [];
  readonly #new: Page[] = [];
  #room = 0;

  constructor(own: KeptBlocks, pages: Pages) {
    this.#own = own;
    this.#pages = pages;
  }

  /** Where a block is kept, which will not change until the job is settled. */
  find(number: number): number | undefined {
    const kept = this.#own.get(number);
    if (kept === undefined) return undefined;
    const { page, at } = kept;
    this.#pages.touch(page);
    if (!this.#read.has(page)) {
      this.#read.add(page);
      page.users++;
    }
    return at;
  }

  /** Where a block of so many bytes, at most 16,384, is to be left; undefined where there is no room. */
  room(number: number, bytes: number): number | undefined {
    const size = (bytes + 15) & ~15;
    let page = this.#new.at(-1);
    if (page === undefined || size > this.#room) {
      page = this.#new.length < this.#pages.most ? this.#pages.take() : undefined;
      if (page === undefined) return undefined;
      page.users++;
      this.#new.push(page);
      this.#room = pageBytes;
    }
    const at = page.at + pageBytes - this.#room;
    this.#room -= size;
    this.#written.push({ page, number, at });
    return at;
  }

  /** Ends the job: what it was to leave is there for others, or, where it failed, is not. */
  settle(isDone: boolean): void {
    for (const page of this.#read) page.users--;
    for (const page of this.#new) {
      page.users--;
      if (!isDone) this.#pages.give(page);
    }
    if (!isDone) return;
    for (const { page, number, at } of this.#written) {
      page.blocks.push({ own: this.#own, number });
      this.#own.set(number, { page, at });
    }
  }
}

/**
 * Bytes of a coefficient in the cache, where a block has so many bit planes that are not zero: with a sign,
 * and halves. Of HT blocks, that says how low they go, and not how high.
 */
export const keptBytes = (planes: number, style: number): 2 | 4 =>
  planes <= 14 && (style & styles.ht) === 0 ? 2 : 4;
