import { type KeptBlocks, unknown } from "./cached-blocks.ts";
import type { Workspace } from "./job.ts";
import { UseOrder } from "./use-order.ts";

/** Numbers of words before a block: what precedes it in its page. */
const head = {
  /** Whether it is stored. */
  isStored: 4,
  /** Its number in its tile. */
  number: 3,
  /** The number of its tile's `KeptBlocks` among `Owners`. */
  owner: 2,
  /** Bytes to the head of the next one. */
  size: 1,
} as const;

/** Before each block; a multiple of 16, as are all sizes, so that blocks are at such addresses. */
const headBytes = 16;
/** After each block: kernels write whole vectors. */
const tailBytes = 16;
/** A page holds the largest block, or two of 16 bits: 4,096 coefficients each. */
const pageBytes = 2 * (headBytes + tailBytes) + 16_384;
/** Places are 32-bit numbers. */
const maxBytes = 2_147_483_647;
const wasmPageBytes = 65_536;

/**
 * Pages with the blocks that a job decoded, in memory that all threads share. Their contents are
 * described there, without objects, which would outlive many garbage collections.
 */
export class CachePages {
  readonly buffer: SharedArrayBuffer;
  /** The beginning of the memory, where kernels work. */
  readonly workspace: Workspace | undefined;
  /** The memory. */
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
  /** How many there are. */
  readonly count: number;
  /** Number of jobs that currently read or write each page. */
  readonly users: Int32Array;
  /** The latest job that read each page. */
  readonly holders: Int32Array;
  /** The order in which pages were used. */
  readonly order: UseOrder;
  /** Address of the first page. */
  readonly #start: number;
  /** Used bytes of each page. */
  readonly #used: Int32Array;
  /** Numbers of unused pages. */
  readonly #free: number[];
  readonly #owners = new Owners();

  /** Of so many bytes, after those that kernels work in. */
  constructor(bytes: number, workspaceBytes: number) {
    this.count = Math.floor(Math.min(bytes, maxBytes - workspaceBytes) / pageBytes);
    const memory = memoryOf(this.count * pageBytes, workspaceBytes);
    this.buffer = memory.buffer;
    this.workspace = memory.workspace;
    this.words = new Int32Array(this.buffer);
    this.bytes = new Uint8Array(this.buffer);
    this.users = new Int32Array(this.count);
    this.holders = new Int32Array(this.count);
    this.order = new UseOrder(this.count);
    this.#start = workspaceBytes;
    this.#used = new Int32Array(this.count);
    this.#free = Array.from({ length: this.count }, (_, page) => this.count - 1 - page);
  }

  /** Allocates an empty page; `unknown` where all pages are in use. */
  take(): number {
    const page = this.#free.pop() ?? this.#evict();
    if (page !== unknown) this.order.touch(page);
    return page;
  }

  /** Frees a page, and forgets its blocks. */
  give(page: number): void {
    this.#drop(page);
    this.#free.push(page);
  }

  /** The page of a block. */
  pageOf(at: number): number {
    return Math.floor((at - this.#start) / pageBytes);
  }

  /**
   * Allocates room for a block of so many bytes in a page, which is not stored yet; `unknown` where
   * the page is full.
   */
  append(page: number, own: KeptBlocks, number: number, bytes: number): number {
    const size = headBytes + ((bytes + 15) & ~15) + tailBytes;
    const used = this.#used[page] ?? 0;
    if (used + size > pageBytes) return unknown;
    this.#used[page] = used + size;
    const at = this.#start + page * pageBytes + used + headBytes;
    const word = at >> 2;
    // Threads learn of the place by a message, before which this is done.
    this.words[word - head.isStored] = 0;
    this.words[word - head.number] = number;
    this.words[word - head.owner] = this.#owners.add(own);
    this.words[word - head.size] = size;
    return at;
  }

  #evict(): number {
    for (let page = this.order.oldest; page >= 0; page = this.order.after(page)) {
      if ((this.users[page] ?? 0) > 0) continue;
      this.#drop(page);
      return page;
    }
    return unknown;
  }

  #drop(page: number): void {
    this.order.remove(page);
    const start = this.#start + page * pageBytes + headBytes;
    const end = start + (this.#used[page] ?? 0);
    this.#used[page] = 0;
    for (let at = start; at < end; ) {
      const word = at >> 2;
      const own = this.#owners.remove(this.words[word - head.owner] ?? 0);
      own?.forget(this.words[word - head.number] ?? 0, at);
      at += Math.max(headBytes, this.words[word - head.size] ?? 0);
    }
  }
}

/** The tiles that have blocks in pages, by number: no more than there are blocks. */
class Owners {
  readonly #all: (KeptBlocks | undefined)[] = [];
  readonly #numbers = new Map<KeptBlocks, number>();
  /** Number of blocks of each. */
  readonly #blocks: number[] = [];
  readonly #free: number[] = [];
  #latest: KeptBlocks | undefined;
  #latestNumber = 0;

  /** Adds a block of a tile; returns the tile's number. */
  add(own: KeptBlocks): number {
    const number = own === this.#latest ? this.#latestNumber : this.#numberOf(own);
    this.#blocks[number] = (this.#blocks[number] ?? 0) + 1;
    return number;
  }

  /** Removes a block of a tile; returns the tile. */
  remove(number: number): KeptBlocks | undefined {
    const own = this.#all[number];
    const left = (this.#blocks[number] ?? 0) - 1;
    this.#blocks[number] = left;
    if (left > 0 || own === undefined) return own;
    this.#all[number] = undefined;
    this.#numbers.delete(own);
    this.#free.push(number);
    if (own === this.#latest) this.#latest = undefined;
    return own;
  }

  #numberOf(own: KeptBlocks): number {
    let number = this.#numbers.get(own);
    if (number === undefined) {
      number = this.#free.pop() ?? this.#all.length;
      this.#all[number] = own;
      this.#blocks[number] = 0;
      this.#numbers.set(own, number);
    }
    this.#latest = own;
    this.#latestNumber = number;
    return number;
  }
}

/** So many bytes, after those of a workspace, if any. */
const memoryOf = (
  bytes: number,
  workspaceBytes: number,
): { readonly buffer: SharedArrayBuffer; readonly workspace: Workspace | undefined } => {
  if (workspaceBytes === 0) return { buffer: new SharedArrayBuffer(bytes), workspace: undefined };
  const size = Math.ceil((workspaceBytes + bytes) / wasmPageBytes);
  const memory = new WebAssembly.Memory({ initial: size, maximum: size, shared: true });
  const buffer: ArrayBufferLike = memory.buffer;
  if (!(buffer instanceof SharedArrayBuffer)) throw new Error("Expected memory that is shared.");
  return { buffer, workspace: { memory, bytes: workspaceBytes } };
};

/**
 * Whether a promised block is present, whichever thread was to store it. `words` is all of the
 * cache's memory.
 */
export const isStored = (words: Int32Array, at: number): boolean =>
  Atomics.load(words, (at >> 2) - head.isStored) !== 0;

/** Tells all threads that a block is present. `words` is all of the cache's memory. */
export const notifyStored = (words: Int32Array, at: number): void => {
  Atomics.store(words, (at >> 2) - head.isStored, 1);
};
