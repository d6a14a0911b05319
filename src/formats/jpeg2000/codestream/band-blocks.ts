import { isStored, notifyStored } from "./cache-pages.ts";
import { type BandJob, blockField, blockFields, type ComponentJob, type WindowJob } from "./job.ts";
import type { CodestreamKernel, KernelRoom } from "./kernel.ts";
import { styles } from "./segments.ts";
import { StagedBlocks } from "./staged-blocks.ts";

/** A plane in a kernel's memory; the stride is in bytes. */
export interface Plane {
  readonly at: number;
  readonly stride: number;
}

/** A job whose bytes, segments and blocks are in a kernel's memory, at these addresses. */
export interface StoredJob {
  readonly job: WindowJob;
  readonly bytes: number;
  readonly segments: number;
  readonly blocks: number;
}

/** Copies the input of a job's blocks. */
export const storeJob = (room: KernelRoom, job: WindowJob): StoredJob => {
  // Shared memory that is misaligned with its destination is copied byte by byte.
  const bytes = room.take(job.bytes.length + 8) + (job.bytes.byteOffset & 7);
  const segments = room.take(job.segments.byteLength);
  const blocks = room.take(job.blocks.byteLength);
  const { buffer } = room.kernel.memory;
  new Uint8Array(buffer, bytes, job.bytes.length).set(job.bytes);
  new Int32Array(buffer, segments, job.segments.length).set(job.segments);
  new Int32Array(buffer, blocks, job.blocks.length).set(job.blocks);
  return { job, bytes, segments, blocks };
};

/** Maximum number of blocks placed between two checks of whether anybody waits. */
const maxAtOnce = 16;

/** Decodes blocks, or reads them from the cache, and places them in their bands. */
export class BandBlocks {
  readonly #kernel: CodestreamKernel;
  /** Copies of cached blocks; undefined where the kernel works in the memory of the cache. */
  readonly #staged: StagedBlocks | undefined;
  /** The kernel's memory: invalid once that has grown. */
  #own: Int32Array = new Int32Array();
  /** The memory of the cache. */
  #cache: Int32Array = new Int32Array();

  /** With `isShared`, the kernel works in the memory of the cache. */
  constructor(room: KernelRoom, isShared: boolean) {
    this.#kernel = room.kernel;
    this.#staged = isShared ? undefined : new StagedBlocks(room, maxAtOnce);
  }

  /** Reconstructs a band at `to`, in 32-bit integers or floating point. */
  fill(stored: StoredJob, component: ComponentJob, band: BandJob, { at, stride }: Plane): void {
    const { job, bytes, segments } = stored;
    const { width, height, kind, magnitudeBits, step } = band;
    const { style, shift, reversible } = component;
    const [first, end] = band.blocks;
    this.#renew(job);
    const kernel = this.#kernel;
    const blocks = stored.blocks + first * blockFields * 4;
    kernel.clearUncovered(blocks, end - first, at, stride, width, height);
    for (let number = first; number < end; number += maxAtOnce) {
      if (Atomics.load(job.left, 0) !== 0) throw new Error("nobody waits any more");
      const until = Math.min(end, number + maxAtOnce);
      this.#prepare(stored, component, band, [number, until]);
      kernel.placeBlocks(
        stored.blocks + number * blockFields * 4,
        until - number,
        bytes,
        segments,
        at,
        stride,
        width,
        height,
        kind,
        magnitudeBits,
        style,
        shift,
        reversible,
        step / 2,
      );
      this.#publish(stored, [number, until]);
    }
  }

  #renew({ cache }: WindowJob): void {
    if (this.#own.length === 0) this.#own = new Int32Array(this.#kernel.memory.buffer);
    if (this.#cache.buffer !== cache) this.#cache = new Int32Array(cache);
  }

  /**
   * Checks the blocks that are to be decoded, and decides for those that another job may have
   * stored meanwhile.
   */
  #prepare(
    { job, blocks }: StoredJob,
    { style }: ComponentJob,
    band: BandJob,
    [first, end]: readonly [number, number],
  ): void {
    const own = this.#own;
    const isHt = (style & styles.ht) !== 0;
    const from = blocks >> 2;
    for (let entry = first * blockFields; entry < end * blockFields; entry += blockFields) {
      const state = job.blocks[entry + blockField.isKept];
      if (state === 2) {
        const isThere = isStored(this.#cache, job.blocks[entry + blockField.kept] ?? 0);
        own[from + entry + blockField.isKept] = isThere ? 1 : 0;
        // The other job stores it, or none does.
        if (!isThere) own[from + entry + blockField.kept] = -1;
      }
      if (own[from + entry + blockField.isKept] === 0) check(job.blocks, entry, isHt, band);
    }
    this.#staged?.bring(own, from, band, [first, end], this.#cache);
  }

  /** Makes the decoded blocks available to all threads. */
  #publish({ job, blocks }: StoredJob, range: readonly [number, number]): void {
    this.#staged?.store(this.#own, blocks >> 2, range, job, this.#cache);
    const [first, end] = range;
    for (let entry = first * blockFields; entry < end * blockFields; entry += blockFields) {
      const at = job.blocks[entry + blockField.kept] ?? -1;
      if (job.blocks[entry + blockField.isKept] === 0 && at >= 0) notifyStored(this.#cache, at);
    }
  }
}

const maxCoefficients = 4_096;
const maxSide = 1_024;
/** Of HT: coefficients have 32 bits, a sign, a half, and one more than their bit planes. */
const highestPlane = 28;

/** Throws where a block is larger than allowed, or an HT block has too many bit planes. */
const check = (
  blocks: Int32Array,
  entry: number,
  isHt: boolean,
  { magnitudeBits }: BandJob,
): void => {
  const width = blocks[entry + blockField.width] ?? 0;
  const height = blocks[entry + blockField.height] ?? 0;
  const planes = magnitudeBits - (blocks[entry + blockField.missing] ?? 0);
  const isSound = width >= 1 && height >= 1 && width <= maxSide && height <= maxSide;
  if (!isSound || width * height > maxCoefficients)
    throw new Error(`Expected a block of at most 4096 coefficients, not ${width} x ${height}.`);
  if (isHt && planes - 1 > highestPlane)
    throw new Error(`Expected a block of at most 29 bit planes, not ${planes}.`);
};
