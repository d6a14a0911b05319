import { blockDecoder, type CodeBlock, type DecodeBlock } from "./block.ts";
import { keptBytes, tellLeft, wasLeft } from "./block-cache.ts";
import { type BlockPart, htBlockDecoder, htBlockPlacer } from "./ht-block.ts";
import { type BandJob, blockField, blockFields, type ComponentJob, type WindowJob } from "./job.ts";
import type { CodestreamKernel, KernelRoom } from "./kernel.ts";
import { styles } from "./segments.ts";

/** A plane in a kernel's memory; the stride is in bytes. */
export interface Plane {
  readonly at: number;
  readonly stride: number;
}

/** A job whose bytes and segments lie in a kernel's memory. */
export interface StoredJob {
  readonly job: WindowJob;
  readonly bytes: number;
  readonly segments: number;
}

/** Copies what a job's blocks are decoded from. */
export const storeJob = (room: KernelRoom, job: WindowJob): StoredJob => {
  const bytes = room.take(job.bytes.length);
  const segments = room.take(job.segments.byteLength);
  const { buffer } = room.kernel.memory;
  new Uint8Array(buffer, bytes, job.bytes.length).set(job.bytes);
  new Int32Array(buffer, segments, job.segments.length).set(job.segments);
  return { job, bytes, segments };
};

/** Decodes blocks, or takes them from the cache, and puts them into their bands. */
export class BandBlocks {
  readonly #kernel: CodestreamKernel;
  readonly #decode: DecodeBlock;
  readonly #decodeHt: DecodeBlock;
  readonly #placeHt: ReturnType<typeof htBlockPlacer>;
  /** A block as it was decoded. */
  readonly #whole: number;
  /** As it comes from the cache, or goes there. */
  readonly #narrow: number;

  constructor(room: KernelRoom) {
    this.#kernel = room.kernel;
    this.#decode = blockDecoder(room.kernel);
    this.#decodeHt = htBlockDecoder(room.kernel);
    this.#placeHt = htBlockPlacer(room.kernel);
    this.#whole = room.take(4_096 * 4);
    this.#narrow = room.take(4_096 * 2);
  }

  /** Makes a band at `to`, in coefficients of 32 bits, or in floating point. */
  fill(stored: StoredJob, component: ComponentJob, band: BandJob, to: Plane): void {
    const { job } = stored;
    this.#kernel.clear(to.at, to.stride * band.height);
    for (let number = band.blocks[0]; number < band.blocks[1]; number++) {
      if (Atomics.load(job.left, 0) !== 0) throw new Error("nobody waits any more");
      this.#block(stored, component, band, { number, to });
    }
  }

  #block(
    stored: StoredJob,
    { style, shift, reversible }: ComponentJob,
    band: BandJob,
    { number, to }: { readonly number: number; readonly to: Plane },
  ): void {
    const { job } = stored;
    const block = blockOf(stored, band, style, number);
    const part = partOf(job, band, number, to);
    const place = fieldOf(job, number, "kept");
    const state = fieldOf(job, number, "isKept");
    const isKept = state === 1 || (state === 2 && wasLeft(job.cache, place));
    const kept = state === 2 && !isKept ? -1 : place;
    const isPlain = (style & styles.ht) !== 0 && block.count === 1 && shift === 0;
    if (kept < 0 && isPlain) {
      if (part === undefined) return;
      const cleanup = job.segments[2 * fieldOf(job, number, "segments")] ?? 0;
      this.#placeHt(block, cleanup, part, reversible ? undefined : band.step);
      return;
    }
    this.#coefficients(job, block, { kept, isKept });
    const count = block.width * block.height;
    if (shift > 0) this.#kernel.unshift(this.#whole, count, Math.min(shift, 29));
    if (part !== undefined) this.#place(block, part, reversible, band.step);
  }

  #place(block: CodeBlock, part: BlockPart, isReversible: boolean, step: number): void {
    const { left, top, width, height, to, stride } = part;
    const from = this.#whole + (top * block.width + left) * 4;
    const rows = [to, stride, from, block.width * 4, width, height] as const;
    if (isReversible) this.#kernel.placeWhole(...rows);
    else this.#kernel.placeScaled(...rows, step / 2);
  }

  /** Sees to it that the coefficients of a block are in `#whole`, from the cache or decoded and left there. */
  #coefficients(
    job: WindowJob,
    block: CodeBlock,
    { kept, isKept }: { readonly kept: number; readonly isKept: boolean },
  ): void {
    const count = block.width * block.height;
    const bytes = keptBytes(block.magnitudeBits, block.missing, block.style);
    const stored = bytes === 2 ? this.#narrow : this.#whole;
    if (isKept) {
      this.#memory(stored, count * bytes).set(new Uint8Array(job.cache, kept, count * bytes));
      if (bytes === 2) this.#kernel.widen(this.#whole, this.#narrow, count);
      return;
    }
    const decode = (block.style & styles.ht) === 0 ? this.#decode : this.#decodeHt;
    decode(block, this.#whole);
    if (kept < 0) return;
    if (bytes === 2) this.#kernel.narrow(this.#narrow, this.#whole, count);
    new Uint8Array(job.cache, kept, count * bytes).set(this.#memory(stored, count * bytes));
    tellLeft(job.cache, kept);
  }

  #memory(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#kernel.memory.buffer, at, length);
  }
}

/** What of a block is wanted, if anything is. */
const partOf = (
  job: WindowJob,
  band: BandJob,
  number: number,
  { at, stride }: Plane,
): BlockPart | undefined => {
  const x = fieldOf(job, number, "x");
  const y = fieldOf(job, number, "y");
  const [left, top] = [Math.max(0, -x), Math.max(0, -y)];
  const width = Math.min(fieldOf(job, number, "width") - left, band.width - Math.max(0, x));
  const height = Math.min(fieldOf(job, number, "height") - top, band.height - Math.max(0, y));
  if (width <= 0 || height <= 0) return undefined;
  const to = at + Math.max(0, y) * stride + Math.max(0, x) * 4;
  return { left, top, width, height, to, stride };
};

const fieldOf = (job: WindowJob, block: number, name: keyof typeof blockField): number =>
  job.blocks[block * blockFields + blockField[name]] ?? 0;

const blockOf = (
  { job, bytes, segments }: StoredJob,
  { kind, magnitudeBits }: BandJob,
  style: number,
  number: number,
): CodeBlock => ({
  at: bytes + fieldOf(job, number, "bytes"),
  length: fieldOf(job, number, "length"),
  segments: segments + 8 * fieldOf(job, number, "segments"),
  count: fieldOf(job, number, "count"),
  width: fieldOf(job, number, "width"),
  height: fieldOf(job, number, "height"),
  band: kind,
  magnitudeBits,
  missing: fieldOf(job, number, "missing"),
  style,
});
