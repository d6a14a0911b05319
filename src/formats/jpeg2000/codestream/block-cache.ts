import { CachePages, notifyStored } from "./cache-pages.ts";
import { type KeptBlocks, unknown } from "./cached-blocks.ts";
import type { Workspace } from "./job.ts";
import { styles } from "./segments.ts";
import type { SharedBlocks, TileKey } from "./shared-blocks.ts";

/** Parts of a block cache besides its pages. */
export interface CacheOptions {
  /** Blocks that all processes share. */
  readonly shared?: SharedBlocks | undefined;
  /** Bytes that kernels work in. */
  readonly workspace?: number | undefined;
}

/**
 * A cache of decoded blocks in memory that all threads share: in pages, each with blocks that were
 * decoded together.
 */
export class BlockCache {
  readonly #pages: CachePages;
  readonly #shared: SharedBlocks | undefined;
  /** Number of the latest job. */
  #jobs = 0;

  /**
   * Of so many bytes, which are only committed when used; two gibibytes at most. Missing blocks are
   * copied from `shared` if they are there, and decoded ones are copied to it. Kernels work in
   * `workspace` bytes besides.
   */
  constructor(bytes: number, { shared, workspace = 0 }: CacheOptions = {}) {
    this.#pages = new CachePages(bytes, workspace);
    this.#shared = shared;
  }

  /** The memory; blocks are at multiples of 16. */
  get memory(): SharedArrayBuffer {
    return this.#pages.buffer;
  }

  /** Its beginning, where kernels work. */
  get workspace(): Workspace | undefined {
    return this.#pages.workspace;
  }

  /**
   * Begins with one job's blocks; `settle` has to be called at the end. Without the key of their
   * tile, they are not shared.
   */
  begin(blocks: KeptBlocks, tile?: TileKey): BlockKeeping {
    this.#jobs = (this.#jobs + 1) | 0;
    const shared = tile && this.#shared && { tile, blocks: this.#shared };
    return new BlockKeeping(blocks, this.#pages, { job: this.#jobs, shared });
  }
}

/** Blocks that processes share, and the tile of a job's. */
interface SharedTile {
  readonly tile: TileKey;
  readonly blocks: SharedBlocks;
}

/** One job's reads from and writes to the cache. */
export class BlockKeeping {
  /** What is known of the blocks of the job's tile. */
  readonly blocks: KeptBlocks;
  readonly #pages: CachePages;
  readonly #job: number;
  readonly #shared: SharedTile | undefined;
  /** The numbers of the pages that are read; some more than once. */
  readonly #read: number[] = [];
  /** The pages that are written. */
  readonly #new: number[] = [];
  /** The blocks that the job stores: four numbers of each, see `room`. */
  readonly #written: number[] = [];

  constructor(
    blocks: KeptBlocks,
    pages: CachePages,
    { job, shared }: { readonly job: number; readonly shared: SharedTile | undefined },
  ) {
    this.blocks = blocks;
    this.#pages = pages;
    this.#job = job;
    this.#shared = shared;
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
    if (this.#shared === undefined) return unknown;
    const { bytes, words } = this.#pages;
    const { tile, blocks } = this.#shared;
    let at: number = unknown;
    let zeros = 0;
    const isCopied = blocks.take(tile, number, ({ missing, length }, block) => {
      zeros = missing;
      at = this.#allocate(number, length);
      if (at !== unknown) bytes.set(block, at);
      return at !== unknown;
    });
    if (!isCopied || at === unknown) return unknown;
    notifyStored(words, at);
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
    const { users, holders, order } = this.#pages;
    const page = this.#pages.pageOf(at);
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
   * all zero; `unknown` where there is no room.
   */
  room(number: number, bytes: number, missing: number): number {
    const at = this.#allocate(number, bytes);
    if (at === unknown) return unknown;
    this.#written.push(number, at, bytes, missing);
    this.blocks.promise(number, at);
    return at;
  }

  /** Allocates room in the last of the new pages; `unknown` where there is none. */
  #allocate(number: number, bytes: number): number {
    const pages = this.#pages;
    const last = this.#new.at(-1);
    const at = last === undefined ? unknown : pages.append(last, this.blocks, number, bytes);
    if (at !== unknown) return at;
    // A job gets a quarter of all pages at most.
    const page = this.#new.length < pages.count / 4 ? pages.take() : unknown;
    if (page === unknown) return unknown;
    pages.users[page] = (pages.users[page] ?? 0) + 1;
    this.#new.push(page);
    return pages.append(page, this.blocks, number, bytes);
  }

  /** Ends the job: its blocks are available to others or, where it failed, discarded. */
  settle(isDone: boolean): void {
    const written = this.#written;
    for (let entry = 0; entry < written.length; entry += 4)
      this.blocks.unpromise(written[entry] ?? 0, written[entry + 1] ?? 0);
    const { users } = this.#pages;
    for (const page of this.#read) users[page] = (users[page] ?? 0) - 1;
    for (const page of this.#new) {
      const left = (users[page] ?? 0) - 1;
      users[page] = left;
      // Pages that others still use are evicted as the least recently used.
      if (!isDone && left === 0) this.#pages.give(page);
    }
    if (isDone) this.#keep();
  }

  #keep(): void {
    const { bytes } = this.#pages;
    const written = this.#written;
    for (let entry = 0; entry < written.length; entry += 4) {
      const number = written[entry] ?? 0;
      const at = written[entry + 1] ?? 0;
      const length = written[entry + 2] ?? 0;
      const missing = written[entry + 3] ?? 0;
      this.blocks.keep(number, at, missing);
      this.#shared?.blocks.put(this.#shared.tile, number, missing, bytes.subarray(at, at + length));
    }
  }
}

/**
 * Bytes per coefficient in the cache, with a sign, and halves, for a block of a band of so many
 * magnitude bits that misses so many. HT blocks that state how low they go, and not how high, may
 * have one more than the band.
 */
export const keptBytes = (magnitudeBits: number, missing: number, style: number): 2 | 4 =>
  ((style & styles.ht) === 0 ? magnitudeBits - missing : magnitudeBits + 1) <= 14 ? 2 : 4;
