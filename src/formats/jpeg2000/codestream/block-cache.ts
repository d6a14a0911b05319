import type { KeptBlocks } from "./cached-blocks.ts";
import { styles } from "./segments.ts";
import { UseOrder } from "./use-order.ts";

/**
 * Blocks that were decoded, in memory that all threads share: page after page, each with blocks
 * that were decoded together.
 */
export class BlockCache {
  /**
   * The memory; blocks are at multiples of 16, each behind a word that says whether it is there.
   */
  readonly memory: SharedArrayBuffer;
  /** Pages that nobody uses, by where they are. */
  readonly #free: number[];
  /** The others, by their numbers. */
  readonly #pages: (CachePage | undefined)[];
  readonly #order: UseOrder;
  readonly #own: Pages;

  /** Of so many bytes, which take memory only as they are used; of no more than two gibibytes. */
  constructor(bytes: number) {
    const pages = Math.floor(Math.min(bytes, maxBytes) / pageBytes);
    this.memory = new SharedArrayBuffer(pages * pageBytes);
    this.#pages = Array.from({ length: pages });
    this.#order = new UseOrder(pages);
    this.#free = Array.from({ length: pages }, (_, page) => (pages - 1 - page) * pageBytes);
    this.#own = {
      words: new Int32Array(this.memory),
      touch: (at) => this.#touch(at),
      take: () => this.#take(),
      give: (page) => {
        this.#drop(page);
        this.#free.push(page.at);
      },
      max: pages / 4,
    };
  }

  /** Begins with one job's blocks; `settle` has to be called in the end. */
  begin(blocks: KeptBlocks): BlockKeeping {
    return new BlockKeeping(blocks, this.#own);
  }

  #touch(at: number): CachePage | undefined {
    const number = Math.floor(at / pageBytes);
    const page = this.#pages[number];
    if (page !== undefined) this.#order.touch(number);
    return page;
  }

  #take(): CachePage | undefined {
    const at = this.#free.pop() ?? this.#evict();
    if (at === undefined) return undefined;
    const page: CachePage = { at, users: 0, holder: undefined, blocks: [] };
    this.#pages[at / pageBytes] = page;
    this.#order.touch(at / pageBytes);
    return page;
  }

  /** Makes room; undefined where all pages are in use just now. */
  #evict(): number | undefined {
    for (let number = this.#order.oldest; number >= 0; number = this.#order.after(number)) {
      const page = this.#pages[number];
      if (page === undefined || page.users > 0) continue;
      this.#drop(page);
      return page.at;
    }
    return undefined;
  }

  #drop(page: CachePage): void {
    this.#order.remove(page.at / pageBytes);
    this.#pages[page.at / pageBytes] = undefined;
    for (const { own, number, at } of page.blocks) own.forget(number, at);
  }
}

/**
 * Before each block: the word that says whether it is there, and what keeps the block at a multiple
 * of 16.
 */
const headBytes = 16;
/** The largest block takes one, and is 16 bits or 32 bits of 4,096 coefficients. */
const pageBytes = 2 * headBytes + 16_384;
/** Places are numbers of 32 bits. */
const maxBytes = 2_147_483_647;

interface CachePage {
  readonly at: number;
  /** Jobs that read or write it just now, and that which came to it last. */
  users: number;
  holder: BlockKeeping | undefined;
  readonly blocks: {
    readonly own: KeptBlocks;
    readonly number: number;
    readonly at: number;
  }[];
}

interface Pages {
  /** The memory. */
  readonly words: Int32Array;
  /** The page that a place is in, which is now the latest used. */
  touch(at: number): CachePage | undefined;
  take(): CachePage | undefined;
  give(page: CachePage): void;
  /** A single job takes no more than this. */
  readonly max: number;
}

/** A block that a job leaves in the cache. */
interface NewBlock {
  readonly page: CachePage;
  readonly number: number;
  readonly at: number;
  readonly missing: number;
}

/** What one job takes from the cache, and what it leaves there. */
export class BlockKeeping {
  /** What is known of the blocks of the job's tile. */
  readonly blocks: KeptBlocks;
  readonly #pages: Pages;
  /** Those that are read; some more than once. */
  readonly #read: CachePage[] = [];
  readonly #written: NewBlock[] = [];
  readonly #new: CachePage[] = [];
  #room = 0;

  constructor(blocks: KeptBlocks, pages: Pages) {
    this.blocks = blocks;
    this.#pages = pages;
  }

  /**
   * Where a block is kept, which will not change until the job is settled; else what
   * `KeptBlocks.placeOf` says.
   */
  find(number: number): number {
    return this.#hold(this.blocks.placeOf(number));
  }

  /**
   * Where a block will be that another job is about to leave; `wasLeft` tells whether it did.
   * `unknown` where none is.
   */
  findPromised(number: number): number {
    return this.#hold(this.blocks.promisedPlaceOf(number));
  }

  #hold(at: number): number {
    if (at < 0) return at;
    const page = this.#pages.touch(at);
    if (page !== undefined && page.holder !== this) {
      page.holder = this;
      page.users++;
      this.#read.push(page);
    }
    return at;
  }

  /**
   * Where a block of so many bytes, at most 16,384, is to be left, of which so many bit planes are
   * all zero; undefined where there is no room.
   */
  room(number: number, bytes: number, missing: number): number | undefined {
    const size = headBytes + ((bytes + 15) & ~15);
    let page = this.#new.at(-1);
    if (page === undefined || size > this.#room) {
      page = this.#new.length < this.#pages.max ? this.#pages.take() : undefined;
      if (page === undefined) return undefined;
      page.users++;
      this.#new.push(page);
      this.#room = pageBytes;
    }
    const at = page.at + pageBytes - this.#room + headBytes;
    this.#room -= size;
    this.#written.push({ page, number, at, missing });
    // Threads are told of the place by a message, before which this is done.
    this.#pages.words[(at - headBytes) / 4] = 0;
    this.blocks.promise(number, at);
    return at;
  }

  /** Ends the job: what it was to leave is there for others, or, where it failed, is not. */
  settle(isDone: boolean): void {
    for (const page of this.#read) {
      page.users--;
      if (page.holder === this) page.holder = undefined;
    }
    for (const page of this.#new) {
      page.users--;
      // What others still look at goes as the least recently used does.
      if (!isDone && page.users === 0) this.#pages.give(page);
    }
    for (const { number, at } of this.#written) this.blocks.unpromise(number, at);
    if (!isDone) return;
    for (const { page, number, at, missing } of this.#written) {
      page.blocks.push({ own: this.blocks, number, at });
      this.blocks.keep(number, at, missing);
    }
  }
}

/**
 * Whether a block that was promised is there, whichever thread was to leave it. `words` are all of
 * the cache's memory.
 */
export const wasLeft = (words: Int32Array, at: number): boolean =>
  Atomics.load(words, (at - headBytes) / 4) !== 0;

/** Tells all threads that a block is there. `words` are all of the cache's memory. */
export const tellLeft = (words: Int32Array, at: number): void => {
  Atomics.store(words, (at - headBytes) / 4, 1);
};

/**
 * Bytes of a coefficient in the cache, with a sign, and halves, where a block of a band of so many
 * magnitude bits misses so many. Of HT blocks that says how low they go, and not how high: these
 * may have one more than the band.
 */
export const keptBytes = (magnitudeBits: number, missing: number, style: number): 2 | 4 =>
  ((style & styles.ht) === 0 ? magnitudeBits - missing : magnitudeBits + 1) <= 14 ? 2 : 4;
