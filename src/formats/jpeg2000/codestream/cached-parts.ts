import type { BlockPart } from "./ht-block.ts";
import type { CodestreamKernel, KernelRoom } from "./kernel.ts";

/** Cached decoded blocks, in memory that all threads share. */
export interface CacheViews {
  readonly bytes: Uint8Array;
  readonly shorts: Int16Array;
  readonly longs: Int32Array;
}

/** The same memory as bytes and as 16- and 32-bit numbers. */
export const cacheViews = (memory: SharedArrayBuffer): CacheViews => ({
  bytes: new Uint8Array(memory),
  shorts: new Int16Array(memory),
  longs: new Int32Array(memory),
});

/** A block in the cache. */
export interface KeptBlock {
  /** Place in bytes, a multiple of 16. */
  readonly at: number;
  /** Bytes per coefficient. */
  readonly bytes: 2 | 4;
  /** Of the block, in coefficients. */
  readonly width: number;
}

/** Copies parts of blocks from the cache, and blocks to it. */
export class CachedParts {
  readonly #kernel: CodestreamKernel;
  /**
   * Buffer for rows copied from the cache: as many as a block has, with up to eight bytes before
   * them.
   */
  readonly #rows: number;
  // Views of the kernel's memory, invalid once it has grown.
  #bytes = new Uint8Array();
  #longs = new Int32Array();
  #floats = new Float32Array();

  constructor(room: KernelRoom) {
    this.#kernel = room.kernel;
    this.#rows = room.take(4_096 * 4 + 8);
  }

  /** Has to be called before the others once the kernel's memory may have grown. */
  renew(): void {
    if (this.#bytes.length > 0) return;
    const { buffer } = this.#kernel.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#longs = new Int32Array(buffer);
    this.#floats = new Float32Array(buffer);
  }

  /** Copies `bytes` bytes from a place in the cache to an address in the kernel's memory. */
  copy(cache: CacheViews, at: number, to: number, bytes: number): void {
    this.#bytes.set(cache.bytes.subarray(at, at + bytes), to);
  }

  /** Copies `bytes` bytes from an address in the kernel's memory to a place in the cache. */
  leave(cache: CacheViews, at: number, from: number, bytes: number): void {
    cache.bytes.set(this.#bytes.subarray(from, from + bytes), at);
  }

  /**
   * Places a part of a block in its band, exactly as the kernel does: multiplied by `half`, in
   * floating point, or, where that is undefined, as integers without their halves.
   */
  place(cache: CacheViews, block: KeptBlock, part: BlockPart, half: number | undefined): void {
    if (part.width * part.height > fewest) this.#placeMany(cache, block, part, half);
    else if (half === undefined) this.#placeWhole(cache, block, part);
    else this.#placeScaled(cache, block, part, Math.fround(half));
  }

  #placeMany(cache: CacheViews, block: KeptBlock, part: BlockPart, half: number | undefined): void {
    const { bytes, width: blockWidth } = block;
    const row = blockWidth * bytes;
    const left = part.left * bytes;
    const isStrip = row % 8 === 0 && left >> 3 === (left + part.width * bytes - 1) >> 3;
    const from = isStrip ? this.#copyStrip(cache, block, part) : this.#copyRows(cache, block, part);
    const fromStride = isStrip ? 8 : row;
    const { to, stride, width, height } = part;
    const kernel = this.#kernel;
    if (half === undefined) {
      if (bytes === 2) kernel.placeWholeShorts(to, stride, from, fromStride, width, height);
      else kernel.placeWhole(to, stride, from, fromStride, width, height);
    } else if (bytes === 2)
      kernel.placeScaledShorts(to, stride, from, fromStride, width, height, half);
    else kernel.placeScaled(to, stride, from, fromStride, width, height, half);
  }

  /** Copies the rows of a part; returns the address of its beginning. */
  #copyRows(cache: CacheViews, { at, bytes, width }: KeptBlock, part: BlockPart): number {
    const row = width * bytes;
    const from = at + part.top * row;
    // Data that is misaligned with its destination is copied byte by byte.
    const start = from & ~7;
    this.copy(cache, start, this.#rows, from - start + part.height * row);
    return this.#rows + (from - start) + part.left * bytes;
  }

  /**
   * As `#copyRows`, of each row only the eight bytes that contain the part: cache misses dominate
   * the time.
   */
  #copyStrip(cache: CacheViews, { at, bytes, width }: KeptBlock, part: BlockPart): number {
    const { longs } = cache;
    const step = (width * bytes) >> 2;
    let from = ((at + part.left * bytes) & ~7) / 4 + part.top * step;
    let to = this.#rows >> 2;
    for (let row = 0; row < part.height; row++, from += step, to += 2) {
      this.#longs[to] = longs[from] ?? 0;
      this.#longs[to + 1] = longs[from + 1] ?? 0;
    }
    return this.#rows + ((part.left * bytes) & 7);
  }

  #placeWhole(cache: CacheViews, { at, bytes, width }: KeptBlock, part: BlockPart): void {
    const from = bytes === 2 ? cache.shorts : cache.longs;
    const to = this.#longs;
    let first = at / bytes + part.top * width + part.left;
    let start = part.to >> 2;
    for (let row = 0; row < part.height; row++, first += width, start += part.stride >> 2)
      for (let x = 0; x < part.width; x++) {
        const value = from[first + x] ?? 0;
        to[start + x] = (value + (value >>> 31)) >> 1;
      }
  }

  #placeScaled(
    cache: CacheViews,
    { at, bytes, width }: KeptBlock,
    part: BlockPart,
    half: number,
  ): void {
    const from = bytes === 2 ? cache.shorts : cache.longs;
    const to = this.#floats;
    let first = at / bytes + part.top * width + part.left;
    let start = part.to >> 2;
    for (let row = 0; row < part.height; row++, first += width, start += part.stride >> 2)
      for (let x = 0; x < part.width; x++)
        // The product of 24-bit numbers is exact, so that it is rounded once, as the kernel does
        // it.
        to[start + x] = Math.fround(from[first + x] ?? 0) * half;
  }
}

/** Number of coefficients whose placement here takes as long as copying them for the kernel. */
const fewest = 64;
