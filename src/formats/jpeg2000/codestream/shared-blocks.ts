/** Identifies a tile of a codestream in a version of its file, in all processes: 128 bits. */
export type TileKey = Int32Array;

/** The properties of a stored block. */
export interface SharedBlock {
  /** Number of zero bit planes. */
  readonly missing: number;
  /** In bytes. */
  readonly length: number;
}

/**
 * Decoded blocks in memory that several processes share. Each block has a slot in a set of eight,
 * the least recently used of which is replaced. Nothing waits: a writer takes a slot by making its
 * sequence number odd, and a reader ignores what it copied if the number has changed meanwhile. The
 * slot of a process that dies while writing is lost.
 */
export class SharedBlocks {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  /** Number of sets; a power of two. */
  readonly #sets: number;
  /** Address of the first block, after all heads. */
  readonly #start: number;

  /** The memory must be zero at first. If it is too small for one set, nothing is stored. */
  constructor(memory: ArrayBuffer) {
    const fitting = Math.floor(memory.byteLength / (ways * (headBytes + maxSharedBytes)));
    this.#sets = fitting < 1 ? 0 : 2 ** Math.floor(Math.log2(fitting));
    this.#start = this.#sets * ways * headBytes;
    this.#words = new Int32Array(memory, 0, memory.byteLength >> 2);
    this.#bytes = new Uint8Array(memory);
  }

  /**
   * Calls `copy` with a block's properties and bytes, which another process may replace meanwhile.
   * Returns whether the copy is valid: false if there is no such block, if `copy` returns false, or
   * if the block has changed. An invalid copy has to be discarded.
   */
  take(
    tile: TileKey,
    number: number,
    copy: (block: SharedBlock, bytes: Uint8Array) => boolean,
  ): boolean {
    if (this.#sets === 0) return false;
    const set = this.#setOf(tile, number);
    const words = this.#words;
    for (let way = 0; way < ways; way++) {
      const head = (set + way) * headWords;
      // Atomic operations are calls; nearly all slots have another block.
      if (words[head + field.number] !== number) continue;
      const sequence = Atomics.load(words, head + field.sequence);
      if ((sequence & 1) !== 0 || !this.#holds(head, tile, number)) continue;
      const length = words[head + field.length] ?? 0;
      const missing = words[head + field.missing] ?? 0;
      if (length < 0 || length > maxSharedBytes) return false;
      const at = this.#start + (set + way) * maxSharedBytes;
      if (!copy({ missing, length }, this.#bytes.subarray(at, at + length))) return false;
      words[head + field.used] = Atomics.add(words, clock, 1);
      // Not a mere load: what was copied has to be read before it.
      return Atomics.add(words, head + field.sequence, 0) === sequence;
    }
    return false;
  }

  /** Stores a block of at most `maxSharedBytes`, unless it is present. */
  put(tile: TileKey, number: number, missing: number, bytes: Uint8Array): void {
    if (this.#sets === 0 || bytes.length > maxSharedBytes) return;
    const words = this.#words;
    const now = Atomics.add(words, clock, 1);
    const slot = this.#slotFor(tile, number, now);
    if (slot === undefined) return;
    const head = slot * headWords;
    const sequence = Atomics.load(words, head + field.sequence);
    const odd = (sequence + 1) | 0;
    if ((sequence & 1) !== 0) return;
    if (Atomics.compareExchange(words, head + field.sequence, sequence, odd) !== sequence) return;
    words.set(tile, head + field.tile);
    words[head + field.number] = number;
    words[head + field.missing] = missing;
    words[head + field.length] = bytes.length;
    words[head + field.used] = now;
    this.#bytes.set(bytes, this.#start + slot * maxSharedBytes);
    Atomics.store(words, head + field.sequence, (odd + 1) | 0);
  }

  /**
   * The least recently used slot of a block's set; undefined where the block is present, or others
   * write to all slots.
   */
  #slotFor(tile: TileKey, number: number, now: number): number | undefined {
    const set = this.#setOf(tile, number);
    const words = this.#words;
    let oldest: number | undefined;
    let longest = -1;
    for (let slot = set; slot < set + ways; slot++) {
      const head = slot * headWords;
      if (((words[head + field.sequence] ?? 0) & 1) !== 0) continue;
      if (this.#holds(head, tile, number)) return undefined;
      const isEmpty = words[head + field.length] === 0;
      const age = isEmpty ? 2 ** 32 : (now - (words[head + field.used] ?? 0)) >>> 0;
      if (age <= longest) continue;
      oldest = slot;
      longest = age;
    }
    return oldest;
  }

  /** The number of the first slot of a block's set. */
  #setOf(tile: TileKey, number: number): number {
    const hash = Math.imul((tile[0] ?? 0) ^ Math.imul(number, 0x9e3779b1), 0x85ebca6b);
    return ((hash ^ (hash >>> 15)) & (this.#sets - 1)) * ways;
  }

  #holds(head: number, tile: TileKey, number: number): boolean {
    const words = this.#words;
    return (
      words[head + field.number] === number &&
      words[head + field.tile] === tile[0] &&
      words[head + field.tile + 1] === tile[1] &&
      words[head + field.tile + 2] === tile[2] &&
      words[head + field.tile + 3] === tile[3] &&
      words[head + field.length] !== 0
    );
  }
}

/** A block of 4,096 coefficients of 16 bits; larger ones are not shared. */
export const maxSharedBytes = 8_192;

/** Slots that a block may be in. */
const ways = 8;

/** The words of a slot's head. */
const field = { sequence: 0, number: 1, tile: 2, missing: 6, length: 7, used: 8 } as const;
/** The first slot's last word counts what was stored and read, to tell how long ago that was. */
const clock = 9;
/** In 32-bit words. */
const headWords = 10;
const headBytes = headWords * 4;
