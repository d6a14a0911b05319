import { type BandJob, blockField, blockFields, type WindowJob } from "./job.ts";
import type { KernelRoom } from "./kernel.ts";

/** Blocks are at most 4,096 coefficients of 32 bits, and kernels write whole vectors. */
const slotBytes = 16_384 + 32;

/** Copies of cached blocks in the memory of a kernel that cannot reach the cache. */
export class StagedBlocks {
  /** Address of the first copy. */
  readonly #at: number;
  #bytes: Uint8Array = new Uint8Array();

  /** For so many blocks at a time. */
  constructor(room: KernelRoom, blocks: number) {
    this.#at = room.take(blocks * slotBytes);
  }

  /**
   * Copies cached blocks to the kernel's memory as far as a band needs them, and gives those to be
   * cached a place there. `own` is that memory, with the descriptions of the job's blocks from
   * index `from` on; `cache` that of the cache.
   */
  bring(
    own: Int32Array,
    from: number,
    band: BandJob,
    [first, end]: readonly [number, number],
    cache: Int32Array,
  ): void {
    if (this.#bytes.buffer !== own.buffer) this.#bytes = new Uint8Array(own.buffer);
    for (let number = first; number < end; number++) {
      const entry = from + number * blockFields;
      const at = own[entry + blockField.kept] ?? -1;
      if (at < 0) continue;
      const slot = this.#at + (number - first) * slotBytes;
      own[entry + blockField.kept] = slot;
      if (own[entry + blockField.isKept] === 0) continue;
      const row = (own[entry + blockField.width] ?? 0) * (own[entry + blockField.size] ?? 0);
      const height = own[entry + blockField.height] ?? 0;
      const y = own[entry + blockField.y] ?? 0;
      const top = Math.min(height, Math.max(0, -y));
      const bottom = Math.max(top, Math.min(height, band.height - y));
      // Data that is misaligned with its destination is copied byte by byte.
      const start = (top * row) & ~15;
      const bytes = new Uint8Array(cache.buffer, at + start, bottom * row - start);
      this.#bytes.set(bytes, slot + start);
    }
  }

  /** Copies decoded blocks to their places in the cache. */
  store(
    own: Int32Array,
    from: number,
    [first, end]: readonly [number, number],
    { blocks }: WindowJob,
    cache: Int32Array,
  ): void {
    for (let number = first; number < end; number++) {
      const entry = number * blockFields;
      const at = blocks[entry + blockField.kept] ?? -1;
      if (at < 0 || blocks[entry + blockField.isKept] !== 0) continue;
      const count =
        (blocks[entry + blockField.width] ?? 0) * (blocks[entry + blockField.height] ?? 0);
      const bytes = count * (blocks[entry + blockField.size] ?? 0);
      const slot = own[from + entry + blockField.kept] ?? 0;
      new Uint8Array(cache.buffer, at, bytes).set(this.#bytes.subarray(slot, slot + bytes));
    }
  }
}
