import { blockDecoder } from "./block.ts";
import { keptBytes } from "./block-cache.ts";
import type { CodeBlock, DecodeBlock, Samples } from "./contract.ts";
import { damaged } from "./fields.ts";
import {
  type BandJob,
  blockField,
  blockFields,
  type ComponentJob,
  type LevelJob,
  type WindowJob,
  type WindowSamples,
} from "./job.ts";
import { type CodestreamKernel, KernelRoom, newCodestreamKernel } from "./kernel.ts";
import { styles } from "./segments.ts";

/** Carries out jobs on the calling thread; what it throws is damage, or that nobody waits any more. */
export type Reconstruct = (job: WindowJob) => WindowSamples;

/** `ht` decodes blocks of Part 15. */
export const createReconstruction = (module: WebAssembly.Module, ht: DecodeBlock): Reconstruct => {
  let kept: Reconstruction | undefined;
  return (job) => {
    const reconstruction = kept ?? new Reconstruction(module, ht);
    kept = undefined;
    const samples = reconstruction.run(job);
    // WebAssembly gives no memory back.
    if (reconstruction.bytes <= mostKept) kept = reconstruction;
    return samples;
  };
};

const mostKept = 67_108_864;

/** A plane in a kernel's memory; the stride is in bytes. */
interface Plane {
  readonly at: number;
  readonly stride: number;
}

/** Rows are whole vectors; the same rule stands in assembly/jpeg2000/wavelet.ts. */
const strideOf = (width: number): number => ((width + 7) & ~7) * 4;

class Reconstruction {
  readonly #kernel: CodestreamKernel;
  readonly #room: KernelRoom;
  readonly #decodeBlock: DecodeBlock;
  readonly #decodeHtBlock: DecodeBlock;
  /** Where blocks are put that come from elsewhere. */
  readonly #guest: number;
  /** As they come from the cache, or go there. */
  readonly #narrow: number;
  readonly #start: number;

  constructor(module: WebAssembly.Module, ht: DecodeBlock) {
    this.#kernel = newCodestreamKernel(module);
    this.#room = new KernelRoom(this.#kernel, this.#kernel.base());
    this.#decodeBlock = blockDecoder(this.#room);
    this.#decodeHtBlock = ht;
    this.#guest = this.#room.take(4_096 * 4);
    this.#narrow = this.#room.take(4_096 * 2);
    this.#start = this.#room.mark;
  }

  /** What its memory takes. */
  get bytes(): number {
    return this.#kernel.memory.buffer.byteLength;
  }

  run(job: WindowJob): WindowSamples {
    this.#room.back(this.#start);
    const targets = job.components.map(({ levels }) => {
      const { width, height } = levels.at(-1) ?? damaged("a level");
      return this.#room.take(strideOf(width) * height);
    });
    const planes = job.components.map((component, index) => {
      const mark = this.#room.mark;
      const plane = this.#component(job, component, targets[index] ?? 0);
      this.#room.back(mark);
      return plane;
    });
    this.#transform(job, planes);
    for (const [index, component] of job.components.entries())
      this.#toLevels(component, planes[index]);
    return job.interleaved ? [this.#interleaved(job, planes)] : this.#separate(job, planes);
  }

  /** The samples of a component before levels are shifted, where what is wanted begins. */
  #component(job: WindowJob, component: ComponentJob, target: number): Plane {
    const { levels, reversible } = component;
    let before: Plane = { at: 0, stride: 0 };
    for (const [number, level] of levels.entries()) {
      const isLast = number === levels.length - 1;
      const stride = strideOf(level.width);
      const to = isLast ? target : this.#room.take(stride * level.height);
      const mark = this.#room.mark;
      const bands = level.bands.map((band) =>
        this.#band(job, component, band, number === 0 ? to : undefined),
      );
      if (number > 0) this.#synthesize(level, { at: to, stride }, before, bands, reversible);
      this.#room.back(mark);
      before = { at: to + level.y * stride + level.x * 4, stride };
    }
    return before;
  }

  #synthesize(
    { width, height, oddX, oddY }: LevelJob,
    { at, stride }: Plane,
    low: Plane,
    [hl = 0, lh = 0, hh = 0]: readonly number[],
    isReversible: boolean,
  ): void {
    const scratch = this.#room.take(2 * (stride + 64));
    this.#kernel.synthesize(
      at,
      width,
      height,
      oddX,
      oddY,
      low.at,
      low.stride,
      hl,
      lh,
      hh,
      isReversible,
      scratch,
    );
  }

  /** Decodes what is wanted of a band; answers where it is. */
  #band(
    job: WindowJob,
    component: ComponentJob,
    band: BandJob,
    target: number | undefined,
  ): number {
    const stride = strideOf(band.width);
    const bytes = stride * band.height;
    const to = target ?? this.#room.take(bytes);
    new Uint8Array(this.#kernel.memory.buffer, to, bytes).fill(0);
    for (let block = band.blocks[0]; block < band.blocks[1]; block++) {
      if (Atomics.load(job.left, 0) !== 0) throw new Error("nobody waits any more");
      this.#place(job, component, band, block, { at: to, stride });
    }
    return to;
  }

  #place(job: WindowJob, component: ComponentJob, band: BandJob, number: number, to: Plane): void {
    const { shift, reversible, style } = component;
    const block = blockOf(job, band, style, number);
    const from = this.#coefficients(job, block, number);
    const count = block.width * block.height;
    if (shift > 0) this.#kernel.unshift(from, count, Math.min(shift, 29));
    const x = fieldOf(job, number, "x");
    const y = fieldOf(job, number, "y");
    const [left, top] = [Math.max(0, -x), Math.max(0, -y)];
    const width = Math.min(block.width - left, band.width - Math.max(0, x));
    const height = Math.min(block.height - top, band.height - Math.max(0, y));
    if (width <= 0 || height <= 0) return;
    const target = to.at + Math.max(0, y) * to.stride + Math.max(0, x) * 4;
    const source = from + (top * block.width + left) * 4;
    const rows = [target, to.stride, source, block.width * 4, width, height] as const;
    if (reversible) this.#kernel.placeWhole(...rows);
    else this.#kernel.placeScaled(...rows, band.step / 2);
  }

  /** Where the coefficients of a block are, from the cache or decoded and left there. */
  #coefficients(job: WindowJob, block: CodeBlock, number: number): number {
    const kept = fieldOf(job, number, "kept");
    const count = block.width * block.height;
    const bytes = keptBytes(block.magnitudeBits - block.missing, block.style);
    if (fieldOf(job, number, "isKept") === 1) {
      const cached = new Uint8Array(job.cache, kept, count * bytes);
      if (bytes === 4) {
        this.#memory(this.#guest, cached.length).set(cached);
      } else {
        this.#memory(this.#narrow, cached.length).set(cached);
        this.#kernel.widen(this.#guest, this.#narrow, count);
      }
      return this.#guest;
    }
    const at = this.#decoded(block);
    if (kept >= 0) {
      if (bytes === 2) this.#kernel.narrow(this.#narrow, at, count);
      const from = this.#memory(bytes === 2 ? this.#narrow : at, count * bytes);
      new Uint8Array(job.cache, kept, count * bytes).set(from);
    }
    return at;
  }

  #memory(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#kernel.memory.buffer, at, length);
  }

  #decoded(block: CodeBlock): number {
    if ((block.style & styles.ht) === 0) return this.#decodeBlock(block).byteOffset;
    const decoded = this.#decodeHtBlock(block);
    new Int32Array(this.#kernel.memory.buffer, this.#guest, decoded.length).set(decoded);
    return this.#guest;
  }

  #transform({ components, transformed }: WindowJob, planes: readonly Plane[]): void {
    const [first, second, third] = components;
    const [red, green, blue] = planes;
    if (!transformed || !first || !second || !third || !red || !green || !blue) return;
    const { width, height, reversible } = first;
    const areAlike = [second, third].every(
      (other) =>
        other.width === width && other.height === height && other.reversible === reversible,
    );
    // As OpenJPEG does, which leaves such components as they are.
    if (!areAlike) return;
    if (red.stride !== green.stride || red.stride !== blue.stride)
      damaged("components that are transformed together to have as many levels");
    const all = [red.at, green.at, blue.at, red.stride, width, height];
    if (reversible) this.#kernel.toRgbWhole(...all);
    else this.#kernel.toRgbScaled(...all);
  }

  #toLevels({ width, height, reversible, ...depth }: ComponentJob, plane: Plane | undefined): void {
    if (plane === undefined) return;
    const half = 2 ** (depth.precision - 1);
    const level = depth.signed ? 0 : half;
    const most = depth.signed ? half - 1 : 2 * half - 1;
    const least = depth.signed ? -half : 0;
    this.#kernel.toLevels(plane.at, plane.stride, width, height, reversible, level, least, most);
  }

  #separate({ components, wanted }: WindowJob, planes: readonly Plane[]): WindowSamples {
    return wanted.map((index) => {
      const component = components[index] ?? damaged("a component");
      return this.#packed(component, planes[index] ?? damaged("a component"));
    });
  }

  #packed({ width, height, precision, signed }: ComponentJob, { at, stride }: Plane): Samples {
    const mark = this.#room.mark;
    const bits = signed || precision > 16 ? 32 : precision > 8 ? 16 : 8;
    const to = this.#room.take((width * height * bits) / 8);
    this.#room.back(mark);
    const { buffer } = this.#kernel.memory;
    const count = width * height;
    if (bits === 8) {
      this.#kernel.packBytes(to, at, stride, width, height);
      return new Uint8Array(buffer, to, count).slice();
    }
    if (bits === 16) {
      this.#kernel.packShorts(to, at, stride, width, height);
      return new Uint16Array(buffer, to, count).slice();
    }
    this.#kernel.packLongs(to, at, stride, width, height);
    return new Int32Array(buffer, to, count).slice();
  }

  /** The planner sees to it that all are of bytes and of one size. */
  #interleaved({ components, wanted }: WindowJob, planes: readonly Plane[]): Uint8Array {
    const { width, height } = components[wanted[0] ?? 0] ?? damaged("a component");
    const count = width * height;
    const bytes = wanted.map((index) => {
      const { at, stride } = planes[index] ?? damaged("a component");
      const to = this.#room.take(count);
      this.#kernel.packBytes(to, at, stride, width, height);
      return to;
    });
    const [first = 0, second = 0, third = 0] = bytes;
    if (bytes.length === 1) return new Uint8Array(this.#kernel.memory.buffer, first, count).slice();
    const to = this.#room.take(count * bytes.length);
    if (bytes.length === 3) this.#kernel.interleaveThree(to, first, second, third, count);
    else
      for (const [index, from] of bytes.entries())
        this.#kernel.spreadBytes(to + index, from, count, bytes.length);
    return new Uint8Array(this.#kernel.memory.buffer, to, count * bytes.length).slice();
  }
}

const fieldOf = (job: WindowJob, block: number, name: keyof typeof blockField): number =>
  job.blocks[block * blockFields + blockField[name]] ?? 0;

const blockOf = (job: WindowJob, band: BandJob, style: number, number: number): CodeBlock => {
  const field = (name: keyof typeof blockField): number => fieldOf(job, number, name);
  const first = field("segments");
  const segments = Array.from({ length: field("count") }, (_, index) => ({
    length: job.segments[2 * (first + index)] ?? 0,
    passes: job.segments[2 * (first + index) + 1] ?? 0,
  }));
  const at = field("bytes");
  return {
    bytes: job.bytes.subarray(at, at + field("length")),
    segments,
    width: field("width"),
    height: field("height"),
    band: band.kind,
    magnitudeBits: band.magnitudeBits,
    missing: field("missing"),
    style,
  };
};
