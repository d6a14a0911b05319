/** Minimum size of blocks in bytes, and maximum number of blocks. */
const smallestBlock = 16_384;
const maxBlocks = 524_288;

/**
 * Which ranges of a file were read recently, so that they are probably in the page cache. Takes a
 * bit for each block of the file, 64 kB at most.
 */
export class RecentlyRead {
  readonly #block: number;
  readonly #blocks: number;
  #bits: Uint8Array | undefined;

  /** `size` is the file's, in bytes. */
  constructor(size: number) {
    this.#block = Math.max(smallestBlock, Math.ceil(size / maxBlocks));
    this.#blocks = Math.ceil(size / this.#block);
  }

  /** Whether all of a range was read before. */
  has(offset: number, length: number): boolean {
    const bits = this.#bits;
    if (bits === undefined) return false;
    const last = this.#last(offset, length);
    for (let block = Math.floor(offset / this.#block); block <= last; block++)
      if (((bits[block >> 3] ?? 0) & (1 << (block & 7))) === 0) return false;
    return true;
  }

  /** Records that a range was read. */
  note(offset: number, length: number): void {
    this.#bits ??= new Uint8Array(Math.ceil(this.#blocks / 8));
    const last = this.#last(offset, length);
    for (let block = Math.floor(offset / this.#block); block <= last; block++)
      this.#bits[block >> 3] = (this.#bits[block >> 3] ?? 0) | (1 << (block & 7));
  }

  /** Forgets everything: the system has evicted some of it, and perhaps more. */
  clear(): void {
    this.#bits = undefined;
  }

  #last(offset: number, length: number): number {
    return Math.min(this.#blocks, Math.ceil((offset + length) / this.#block)) - 1;
  }
}
