import { blockDecoder, type CodeBlock, type DecodeBlock } from "./block.ts";
import { isStored, keptBytes, notifyStored } from "./block-cache.ts";
import { CachedParts, type CacheViews } from "./cached-parts.ts";
import { type BlockPart, htBlockDecoder, htBlockPlacer } from "./ht-block.ts";
import { type BandJob, blockField, blockFields, type ComponentJob, type WindowJob } from "./job.ts";
import type { CodestreamKernel, KernelRoom } from "./kernel.ts";
import { styles } from "./segments.ts";

/** A plane in a kernel's memory; the stride is in bytes. */
export interface Plane {
  readonly at: number;
  readonly stride: number;
}

/** A job whose bytes and segments are in a kernel's memory. */
export interface StoredJob {
  readonly job: WindowJob;
  readonly bytes: number;
  readonly segments: number;
  readonly cache: CacheViews;
}

/** Copies the input of a job's blocks; `cache` are views of its cache. */
export const storeJob = (room: KernelRoom, job: WindowJob, cache: CacheViews): StoredJob => {
  // Shared memory that is misaligned with its destination is copied byte by byte.
  const bytes = room.take(job.bytes.length + 8) + (job.bytes.byteOffset & 7);
  const segments = room.take(job.segments.byteLength);
  const { buffer } = room.kernel.memory;
  new Uint8Array(buffer, bytes, job.bytes.length).set(job.bytes);
  new Int32Array(buffer, segments, job.segments.length).set(job.segments);
  return { job, bytes, segments, cache };
};

/** A band being reconstructed. */
interface OpenBand {
  readonly stored: StoredJob;
  readonly component: ComponentJob;
  readonly band: BandJob;
  readonly to: Plane;
  /** Half the quantizer's step; undefined where coefficients are integers. */
  readonly half: number | undefined;
}

type Mutable<T> = { -readonly [name in keyof T]: T[name] };

/** Decodes blocks, or reads them from the cache, and places them in their bands. */
export class BandBlocks {
  readonly #kernel: CodestreamKernel;
  readonly #decode: DecodeBlock;
  readonly #decodeHt: DecodeBlock;
  readonly #placeHt: ReturnType<typeof htBlockPlacer>;
  readonly #kept: CachedParts;
  /** A decoded block. */
  readonly #whole: number;
  /** Its form in the cache. */
  readonly #narrow: number;
  /** The part of the block being placed: a tile has hundreds, each for a moment. */
  readonly #part: Mutable<BlockPart> = { left: 0, top: 0, width: 0, height: 0, to: 0, stride: 0 };

  constructor(room: KernelRoom) {
    this.#kernel = room.kernel;
    this.#decode = blockDecoder(room.kernel);
    this.#decodeHt = htBlockDecoder(room.kernel);
    this.#placeHt = htBlockPlacer(room.kernel);
    this.#kept = new CachedParts(room);
    this.#whole = room.take(4_096 * 4);
    this.#narrow = room.take(4_096 * 2);
  }

  /** Reconstructs a band at `to`, in 32-bit integers or floating point. */
  fill(stored: StoredJob, component: ComponentJob, band: BandJob, to: Plane): void {
    const { job } = stored;
    const { width, height } = band;
    this.#kept.renew();
    if (coveredOf(job, band) < width * height) this.#kernel.clear(to.at, to.stride * height);
    else if (to.stride > width * 4) this.#kernel.clearBeside(to.at, to.stride, width, height);
    const half = component.reversible ? undefined : band.step / 2;
    const open: OpenBand = { stored, component, band, to, half };
    const [first, end] = band.blocks;
    for (let number = first; number < end; number++) {
      if (Atomics.load(job.left, 0) !== 0) throw new Error("nobody waits any more");
      const entry = number * blockFields;
      if (isKept(stored, entry)) this.#takeKept(open, entry);
      else this.#decodeInto(open, entry);
    }
  }

  #takeKept(open: OpenBand, entry: number): void {
    const { stored, component, band, half } = open;
    const { blocks } = stored.job;
    const part = this.#partOf(open, entry);
    const width = blocks[entry + blockField.width] ?? 0;
    const at = blocks[entry + blockField.kept] ?? 0;
    const missing = blocks[entry + blockField.missing] ?? 0;
    const bytes = keptBytes(band.magnitudeBits, missing, component.style);
    if (component.shift === 0) this.#kept.place(stored.cache, { at, bytes, width }, part, half);
    else {
      const count = width * (blocks[entry + blockField.height] ?? 0);
      const to = bytes === 2 ? this.#narrow : this.#whole;
      this.#kept.copy(stored.cache, at, to, count * bytes);
      if (bytes === 2) this.#kernel.widen(this.#whole, this.#narrow, count);
      this.#placeWhole(open, entry, part);
    }
  }

  #decodeInto(open: OpenBand, entry: number): void {
    const { stored, component, half } = open;
    const { job, cache } = stored;
    const part = this.#partOf(open, entry);
    const block = blockOf(open, entry);
    const { style, count, width, height } = block;
    // A block that another job promised is stored by that one, or by none.
    const kept = job.blocks[entry + blockField.isKept] === 0 ? keptAt(job, entry) : -1;
    const bytes = keptBytes(block.magnitudeBits, block.missing, style);
    const shorts = kept >= 0 && bytes === 2 ? this.#narrow : undefined;
    const isPlain = (style & styles.ht) !== 0 && count === 1 && component.shift === 0;
    const isDirect = isPlain && (kept < 0 || bytes === 2);
    if (isDirect) {
      const cleanup = job.segments[2 * (job.blocks[entry + blockField.segments] ?? 0)] ?? 0;
      this.#placeHt(block, cleanup, { part, half, shorts });
    } else this.#decodeWhole(block, shorts);
    if (kept >= 0) {
      this.#kept.leave(cache, kept, shorts ?? this.#whole, width * height * bytes);
      notifyStored(cache.longs, kept);
    }
    if (!isDirect) this.#placeWhole(open, entry, part);
  }

  /** Decodes a block to `#whole`, and, where requested, to 16-bit integers as well. */
  #decodeWhole(block: CodeBlock, shorts: number | undefined): void {
    const decode = (block.style & styles.ht) === 0 ? this.#decode : this.#decodeHt;
    decode(block, this.#whole);
    if (shorts !== undefined) this.#kernel.narrow(shorts, this.#whole, block.width * block.height);
  }

  /** The requested part of a block, which may be empty; valid until the next one. */
  #partOf({ stored, band, to }: OpenBand, entry: number): BlockPart {
    const { blocks } = stored.job;
    const x = blocks[entry + blockField.x] ?? 0;
    const y = blocks[entry + blockField.y] ?? 0;
    const [left, top] = [Math.max(0, -x), Math.max(0, -y)];
    const [right, below] = [Math.max(0, x), Math.max(0, y)];
    const width = Math.min((blocks[entry + blockField.width] ?? 0) - left, band.width - right);
    const height = Math.min((blocks[entry + blockField.height] ?? 0) - top, band.height - below);
    const isEmpty = width <= 0 || height <= 0;
    const part = this.#part;
    part.left = isEmpty ? 0 : left;
    part.top = isEmpty ? 0 : top;
    part.width = isEmpty ? 0 : width;
    part.height = isEmpty ? 0 : height;
    part.to = to.at + below * to.stride + right * 4;
    part.stride = to.stride;
    return part;
  }

  /** Places a part of the block in `#whole` in its band. */
  #placeWhole({ stored, component, half }: OpenBand, entry: number, part: BlockPart): void {
    const { blocks } = stored.job;
    const { shift } = component;
    const blockWidth = blocks[entry + blockField.width] ?? 0;
    const size = blockWidth * (blocks[entry + blockField.height] ?? 0);
    if (shift > 0) this.#kernel.unshift(this.#whole, size, Math.min(shift, 29));
    const { left, top, width, height, to, stride } = part;
    const from = this.#whole + (top * blockWidth + left) * 4;
    const rows = [to, stride, from, blockWidth * 4, width, height] as const;
    if (half === undefined) this.#kernel.placeWhole(...rows);
    else this.#kernel.placeScaled(...rows, half);
  }
}

const keptAt = (job: WindowJob, entry: number): number => job.blocks[entry + blockField.kept] ?? -1;

/** Whether a block is in the cache. */
const isKept = ({ job, cache }: StoredJob, entry: number): boolean => {
  const state = job.blocks[entry + blockField.isKept];
  return state === 1 || (state === 2 && isStored(cache.longs, keptAt(job, entry)));
};

/** Number of coefficients of a band covered by its non-overlapping blocks. */
const coveredOf = ({ blocks }: WindowJob, { width, height, blocks: [first, end] }: BandJob) => {
  let covered = 0;
  for (let entry = first * blockFields; entry < end * blockFields; entry += blockFields) {
    const x = blocks[entry + blockField.x] ?? 0;
    const y = blocks[entry + blockField.y] ?? 0;
    const right = Math.min(x + (blocks[entry + blockField.width] ?? 0), width);
    const bottom = Math.min(y + (blocks[entry + blockField.height] ?? 0), height);
    covered += Math.max(0, right - Math.max(0, x)) * Math.max(0, bottom - Math.max(0, y));
  }
  return covered;
};

const blockOf = ({ stored, component, band }: OpenBand, entry: number): CodeBlock => {
  const { blocks } = stored.job;
  return {
    at: stored.bytes + (blocks[entry + blockField.bytes] ?? 0),
    length: blocks[entry + blockField.length] ?? 0,
    segments: stored.segments + 8 * (blocks[entry + blockField.segments] ?? 0),
    count: blocks[entry + blockField.count] ?? 0,
    width: blocks[entry + blockField.width] ?? 0,
    height: blocks[entry + blockField.height] ?? 0,
    band: band.kind,
    magnitudeBits: band.magnitudeBits,
    missing: blocks[entry + blockField.missing] ?? 0,
    style: component.style,
  };
};
