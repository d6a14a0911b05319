import { type KeptBlocks, unknown } from "./cached-blocks.ts";
import type { Workspace } from "./job.ts";
import { styles } from "./segments.ts";
import type { SharedBlocks, TileKey } from "./shared-blocks.ts";
import { UseOrder } from "./use-order.ts";

/**
 * A cache of decoded blocks in memory that all threads share: in pages, each with blocks that were
 * decoded together.
 */
export class BlockCache {
  /**
   * The memory; blocks are at multiples of 16, each after a word that says whether it is present.
   */
  readonly memory: SharedArrayBuffer;
  /** Its beginning, where kernels work. */
  readonly workspace: Workspace | undefined;
  /** Numbers of unused pages. */
  readonly #free: number[];
  /** The others, by number. */
  readonly #pages: (CachePage | undefined)[];
  readonly #order: UseOrder;
  readonly #own: Pages;
  /** Number of the latest job. */
  #jobs = 0;

  /**
   * Of so many bytes, which are only committed when used; two gibibytes at most. Missing blocks are
   * copied from `shared` if they are there, and decoded ones are copied to it. Kernels work in
   * `workspace` bytes besides.
   */
  constructor(bytes: number, { shared, workspace = 0 }: CacheOptions = {}) {
    const pages = Math.floor(Math.min(bytes, maxBytes - workspace) / pageBytes);
    const memory = memoryOf(pages * pageBytes, workspace);
    this.memory = memory.buffer;
    this.workspace = memory.workspace;
    this.#pages = Array.from({ length: pages });
    this.#order = new UseOrder(pages);
    this.#free = Array.from({ length: pages }, (_, page) => pages - 1 - page);
    this.#own = {
      words: new Int32Array(this.memory),
      bytes: new Uint8Array(this.memory),
      shared,
      start: workspace,
      users: new Int32Array(pages),
      holders: new Int32Array(pages),
      order: this.#order,
      take: () => this.#take(),
      give: (page) => {
        this.#drop(page);
        this.#free.push(page.number);
      },
      max: pages / 4,
    };
  }

  /**
   * Begins with one job's blocks; `settle` has to be called at the end. Without the key of their
   * tile, they are not shared.
   */
  begin(blocks: KeptBlocks, tile?: TileKey): BlockKeeping {
    this.#jobs = (this.#jobs + 1) | 0;
    return new BlockKeeping(blocks, tile, { pages: this.#own, job: this.#jobs });
  }

  #take(): CachePage | undefined {
    const number = this.#free.pop() ?? this.#evict();
    if (number === undefined) return undefined;
    const page: CachePage = { number, blocks: [] };
    this.#pages[number] = page;
    this.#order.touch(number);
    return page;
  }

  /** Allocates a page; undefined where all pages are in use. */
  #evict(): number | undefined {
    for (let number = this.#order.oldest; number >= 0; number = this.#order.after(number)) {
      const page = this.#pages[number];
      if (page === undefined || (this.#own.users[number] ?? 0) > 0) continue;
      this.#drop(page);
      return number;
    }
    return undefined;
  }

  #drop(page: CachePage): void {
    this.#order.remove(page.number);
    this.#pages[page.number] = undefined;
    for (const { own, number, at } of page.blocks) own.forget(number, at);
  }
}

/** So many bytes, after those of a workspace, if any. */
const memoryOf = (
  bytes: number,
  workspace: number,
): { readonly buffer: SharedArrayBuffer; readonly workspace: Workspace | undefined } => {
  if (workspace === 0) return { buffer: new SharedArrayBuffer(bytes), workspace: undefined };
  const size = Math.ceil((workspace + bytes) / wasmPageBytes);
  const memory = new WebAssembly.Memory({ initial: size, maximum: size, shared: true });
  const buffer: ArrayBufferLike = memory.buffer;
  if (!(buffer instanceof SharedArrayBuffer)) throw new Error("Expected memory that is shared.");
  return { buffer, workspace: { memory, bytes: workspace } };
};

const wasmPageBytes = 65_536;
/** Before each block: the word that says whether it is present, and what aligns the block to 16. */
const headBytes = 16;
/** After each block: kernels write whole vectors. */
const tailBytes = 16;
/** A page holds the largest block, or two of 16 bits: 4,096 coefficients each. */
const pageBytes = 2 * (headBytes + tailBytes) + 16_384;
/** Places are 32-bit numbers. */
const maxBytes = 2_147_483_647;

/** Parts of a block cache besides its pages. */
export interface CacheOptions {
  /** Blocks that all processes share. */
  readonly shared?: SharedBlocks | undefined;
  /** Bytes that kernels work in. */
  readonly workspace?: number | undefined;
}

interface CachePage {
  readonly number: number;
  readonly blocks: {
    readonly own: KeptBlocks;
    readonly number: number;
    readonly at: number;
  }[];
}

interface Pages {
  /** The memory. */
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
  readonly shared: SharedBlocks | undefined;
  /** Where the first page begins in the memory. */
  readonly start: number;
  /** Number of jobs that currently read or write each page. */
  readonly users: Int32Array;
  /** The latest job that read each page. */
  readonly holders: Int32Array;
  /** The order in which pages were used. */
  readonly order: UseOrder;
  take(): CachePage | undefined;
  give(page: CachePage): void;
  /** Maximum fraction for a single job. */
  readonly max: number;
}

/** A block that a job stores in the cache. */
interface NewBlock {
  readonly page: CachePage;
  readonly number: number;
  readonly at: number;
  readonly bytes: number;
  readonly missing: number;
}

/** One job's reads from and writes to the cache. */
export class BlockKeeping {
  /** What is known of the blocks of the job's tile. */
  readonly blocks: KeptBlocks;
  readonly #tile: TileKey | undefined;
  readonly #pages: Pages;
  readonly #job: number;
  /** The numbers of those that are read; some more than once. */
  readonly #read: number[] = [];
  readonly #written: NewBlock[] = [];
  readonly #new: CachePage[] = [];
  #room = 0;

  constructor(
    blocks: KeptBlocks,
    tile: TileKey | undefined,
    { pages, job }: { readonly pages: Pages; readonly job: number },
  ) {
    this.blocks = blocks;
    this.#tile = tile;
    this.#pages = pages;
    this.#job = job;
  }

  /**
   * The place of a cached block, which will not change until the job is settled; else the result of
   * `KeptBlocks.placeOf`.
   */
  find(number: number): number {
    const at = this.blocks.placeOf(number);
    return at === unknown ? this.#copied(number) : this.#hold(at);
  }

  /** The place of a copy of a shared block; `unknown` where there is none, or no room for it. */
  #copied(number: number): number {
    const { shared, bytes, words } = this.#pages;
    if (shared === undefined || this.#tile === undefined) return unknown;
    let at: number | undefined;
    let zeros = 0;
    const isCopied = shared.take(this.#tile, number, ({ missing, length }, block) => {
      zeros = missing;
      at = this.#allocate(length);
      if (at !== undefined) bytes.set(block, at);
      return at !== undefined;
    });
    const page = this.#new.at(-1);
    if (!isCopied || at === undefined || page === undefined) return unknown;
    words[(at - headBytes) / 4] = 1;
    page.blocks.push({ own: this.blocks, number, at });
    this.blocks.keep(number, at, zeros);
    return at;
  }

  /**
   * The place of a block that another job is about to store; `isStored` tells whether it did.
   * `unknown` where there is none.
   */
  findPromised(number: number): number {
    return this.#hold(this.blocks.promisedPlaceOf(number));
  }

  #hold(at: number): number {
    if (at < 0) return at;
    const { users, holders, order, start } = this.#pages;
    const page = Math.floor((at - start) / pageBytes);
    if (holders[page] !== this.#job) {
      holders[page] = this.#job;
      users[page] = (users[page] ?? 0) + 1;
      order.touch(page);
      this.#read.push(page);
    }
    return at;
  }

  /**
   * Allocates a place for a block of so many bytes, at most 16,384, of which so many bit planes are
   * all zero; undefined where there is no room.
   */
  room(number: number, bytes: number, missing: number): number | undefined {
    const at = this.#allocate(bytes);
    const page = this.#new.at(-1);
    if (at === undefined || page === undefined) return undefined;
    this.#written.push({ page, number, at, bytes, missing });
    // Threads learn of the place by a message, before which this is done.
    this.#pages.words[(at - headBytes) / 4] = 0;
    this.blocks.promise(number, at);
    return at;
  }

  /** Allocates so many bytes in the last of the new pages; undefined where there is no room. */
  #allocate(bytes: number): number | undefined {
    const size = headBytes + ((bytes + 15) & ~15) + tailBytes;
    let page = this.#new.at(-1);
    if (page === undefined || size > this.#room) {
      page = this.#new.length < this.#pages.max ? this.#pages.take() : undefined;
      if (page === undefined) return undefined;
      this.#use(page.number, 1);
      this.#new.push(page);
      this.#room = pageBytes;
    }
    const end = this.#pages.start + (page.number + 1) * pageBytes;
    const at = end - this.#room + headBytes;
    this.#room -= size;
    return at;
  }

  #use(page: number, jobs: 1 | -1): number {
    const { users } = this.#pages;
    const now = (users[page] ?? 0) + jobs;
    users[page] = now;
    return now;
  }

  /** Ends the job: its blocks are available to others or, where it failed, discarded. */
  settle(isDone: boolean): void {
    for (const page of this.#read) this.#use(page, -1);
    for (const page of this.#new) {
      const users = this.#use(page.number, -1);
      // Pages that others still use are evicted as the least recently used.
      if (!isDone && users === 0) this.#pages.give(page);
    }
    for (const { number, at } of this.#written) this.blocks.unpromise(number, at);
    if (!isDone) return;
    const { shared, bytes } = this.#pages;
    for (const { page, number, at, bytes: length, missing } of this.#written) {
      page.blocks.push({ own: this.blocks, number, at });
      this.blocks.keep(number, at, missing);
      if (this.#tile !== undefined)
        shared?.put(this.#tile, number, missing, bytes.subarray(at, at + length));
    }
  }
}

/**
 * Whether a promised block is present, whichever thread was to store it. `words` is all of the
 * cache's memory.
 */
export const isStored = (words: Int32Array, at: number): boolean =>
  Atomics.load(words, (at - headBytes) / 4) !== 0;

/** Tells all threads that a block is present. `words` is all of the cache's memory. */
export const notifyStored = (words: Int32Array, at: number): void => {
  Atomics.store(words, (at - headBytes) / 4, 1);
};

/**
 * Bytes per coefficient in the cache, with a sign, and halves, for a block of a band of so many
 * magnitude bits that misses so many. HT blocks that state how low they go, and not how high, may
 * have one more than the band.
 */
export const keptBytes = (magnitudeBits: number, missing: number, style: number): 2 | 4 =>
  ((style & styles.ht) === 0 ? magnitudeBits - missing : magnitudeBits + 1) <= 14 ? 2 : 4;
