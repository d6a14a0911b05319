import type { Size } from "../../../core/geometry.ts";
import { damaged } from "../../containers/index.ts";
import { BandBlocks, type Plane, type StoredJob, storeJob } from "./band-blocks.ts";
import type { BlockSamples } from "./contract.ts";
import type {
  BandJob,
  ComponentJob,
  JpegForm,
  LevelJob,
  WindowJob,
  WindowSamples,
  Workspace,
} from "./job.ts";
import { type CodestreamKernel, KernelRoom, newCodestreamKernel } from "./kernel.ts";

/** Runs jobs on the calling thread; throws where data is corrupt, or nobody waits any more. */
export type Reconstruct = (job: WindowJob) => WindowSamples;

/** Makes a JPEG, in memory of its own, of 8-bit pixels in rows; their memory changes afterwards. */
export type Encode = (
  pixels: Uint8Array,
  form: JpegForm & { readonly size: Size; readonly samples: 1 | 3 },
) => Uint8Array;

/** `module` is `wasm/jpeg2000.wasm`; without `encode`, jobs that request a JPEG fail. */
export const createReconstruction = (module: WebAssembly.Module, encode?: Encode): Reconstruct => {
  let kept: Reconstruction | undefined;
  return (job) => {
    const reconstruction = kept ?? new Reconstruction(newCodestreamKernel(module), { encode });
    kept = undefined;
    const samples = reconstruction.run(job);
    // WebAssembly memory never shrinks.
    if (reconstruction.bytes <= maxKept) kept = reconstruction;
    return samples;
  };
};

const maxKept = 67_108_864;

/**
 * As `createReconstruction`, in the memory of the block cache, so that cached blocks need not be
 * copied; for jobs with a workspace. `module` is `wasm/jpeg2000-shared.wasm`.
 */
export const createSharedReconstruction = (
  module: WebAssembly.Module,
  encode?: Encode,
): Reconstruct => {
  let kept: { readonly memory: WebAssembly.Memory; readonly own: Reconstruction } | undefined;
  const madeIn = ({ memory, bytes }: Workspace): Reconstruction =>
    new Reconstruction(newCodestreamKernel(module, memory), { encode, bytes });
  return (job) => {
    const { workspace } = job;
    if (workspace === undefined) throw new Error("Expected a job with a workspace.");
    const { memory } = workspace;
    if (kept?.memory !== memory) kept = { memory, own: madeIn(workspace) };
    return kept.own.run(job);
  };
};

/** Rows are whole vectors; assembly/jpeg2000/wavelet.ts has the same rule. */
const strideOf = (width: number): number => ((width + 7) & ~7) * 4;

class Reconstruction {
  readonly #encode: Encode | undefined;
  readonly #kernel: CodestreamKernel;
  readonly #room: KernelRoom;
  readonly #blocks: BandBlocks;
  readonly #start: number;

  /** With `bytes`, the kernel works in so many bytes at the beginning of the cache's memory. */
  constructor(
    kernel: CodestreamKernel,
    { encode, bytes }: { readonly encode: Encode | undefined; readonly bytes?: number },
  ) {
    this.#encode = encode;
    this.#kernel = kernel;
    this.#room = new KernelRoom(kernel, kernel.base(), bytes);
    this.#blocks = new BandBlocks(this.#room, bytes !== undefined);
    this.#start = this.#room.mark;
  }

  /** Its memory in bytes. */
  get bytes(): number {
    return this.#kernel.memory.buffer.byteLength;
  }

  run(job: WindowJob): WindowSamples {
    this.#room.back(this.#start);
    const stored = storeJob(this.#room, job);
    const targets = job.components.map(({ levels }) => {
      const { width, height } = levels.at(-1) ?? damaged("a level");
      return this.#room.take(strideOf(width) * height);
    });
    const planes = job.components.map((component, index) => {
      const mark = this.#room.mark;
      const plane = this.#component(stored, component, targets[index] ?? 0);
      this.#room.back(mark);
      return plane;
    });
    const pixels = this.#pixels(job, planes);
    if (pixels !== undefined) return [this.#given(job, pixels)];
    this.#transform(job, planes);
    for (const [index, component] of job.components.entries())
      this.#toLevels(component, planes[index]);
    return job.interleaved
      ? [this.#given(job, this.#interleaved(job, planes))]
      : this.#separate(job, planes);
  }

  /** Pixels in the kernel's memory in the form that the job requests. */
  #given({ jpeg, components, wanted }: WindowJob, pixels: Uint8Array): Uint8Array {
    // A slice would be zeroed first, which takes several times as long as copying.
    if (jpeg === undefined) return new Uint8Array(pixels);
    const { width, height } = components[wanted[0] ?? 0] ?? damaged("a component");
    const samples = wanted.length === 1 ? 1 : 3;
    if (this.#encode === undefined) throw new Error("there is no encoder here");
    const { quality, subsampling } = jpeg;
    return this.#encode(pixels, { quality, subsampling, size: { width, height }, samples });
  }

  /**
   * Pixels of three components of the same kind, all at once, in the kernel's memory; undefined
   * where that is not requested.
   */
  #pixels(job: WindowJob, planes: readonly Plane[]): Uint8Array | undefined {
    const { components, wanted, interleaved, transformed } = job;
    const isInOrder = wanted.length === 3 && wanted.every((index, number) => index === number);
    const [first, second, third] = components;
    const [one, two, three] = planes;
    if (!interleaved || !isInOrder || components.length !== 3) return undefined;
    if (!first || !second || !third || !one || !two || !three) return undefined;
    if (![second, third].every((other) => areAlike(first, other))) return undefined;
    if (one.stride !== two.stride || one.stride !== three.stride) return undefined;
    const { width, height, reversible } = first;
    const count = width * height * 3;
    const to = this.#room.take(count);
    const { level, min, max } = depthOf(first);
    this.#kernel.pixelsOfThree(
      to,
      one.at,
      two.at,
      three.at,
      one.stride,
      width,
      height,
      transformed,
      reversible,
      level,
      min,
      max,
    );
    return new Uint8Array(this.#kernel.memory.buffer, to, count);
  }

  /**
   * The samples of a component before the level shift, from the beginning of the requested part.
   */
  #component(stored: StoredJob, component: ComponentJob, target: number): Plane {
    const { levels, reversible } = component;
    let before: Plane = { at: 0, stride: 0 };
    for (const [number, level] of levels.entries()) {
      const isLast = number === levels.length - 1;
      const stride = strideOf(level.width);
      const to = isLast ? target : this.#room.take(stride * level.height);
      const mark = this.#room.mark;
      const bands = level.bands.map((band) =>
        this.#band(stored, component, band, number === 0 ? to : undefined),
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

  /** Decodes the requested part of a band; returns its address. */
  #band(
    stored: StoredJob,
    component: ComponentJob,
    band: BandJob,
    target: number | undefined,
  ): number {
    const stride = strideOf(band.width);
    const at = target ?? this.#room.take(stride * band.height);
    this.#blocks.fill(stored, component, band, { at, stride });
    return at;
  }

  #transform({ components, transformed }: WindowJob, planes: readonly Plane[]): void {
    const [first, second, third] = components;
    const [red, green, blue] = planes;
    if (!transformed || !first || !second || !third || !red || !green || !blue) return;
    const { width, height, reversible } = first;
    const areOfOneSize = [second, third].every(
      (other) =>
        other.width === width && other.height === height && other.reversible === reversible,
    );
    // As OpenJPEG does, which leaves such components unchanged.
    if (!areOfOneSize) return;
    if (red.stride !== green.stride || red.stride !== blue.stride)
      damaged("components that are transformed together to have as many levels");
    const all = [red.at, green.at, blue.at, red.stride, width, height];
    if (reversible) this.#kernel.toRgbWhole(...all);
    else this.#kernel.toRgbScaled(...all);
  }

  #toLevels(component: ComponentJob, plane: Plane | undefined): void {
    if (plane === undefined) return;
    const { width, height, reversible } = component;
    const { level, min, max } = depthOf(component);
    this.#kernel.toLevels(plane.at, plane.stride, width, height, reversible, level, min, max);
  }

  #separate({ components, wanted }: WindowJob, planes: readonly Plane[]): WindowSamples {
    return wanted.map((index) => {
      const component = components[index] ?? damaged("a component");
      return this.#packed(component, planes[index] ?? damaged("a component"));
    });
  }

  #packed({ width, height, precision, signed }: ComponentJob, { at, stride }: Plane): BlockSamples {
    const mark = this.#room.mark;
    const bits = signed || precision > 16 ? 32 : precision > 8 ? 16 : 8;
    const to = this.#room.take((width * height * bits) / 8);
    this.#room.back(mark);
    const { buffer } = this.#kernel.memory;
    const count = width * height;
    if (bits === 8) {
      this.#kernel.packBytes(to, at, stride, width, height);
      return new Uint8Array(new Uint8Array(buffer, to, count));
    }
    if (bits === 16) {
      this.#kernel.packShorts(to, at, stride, width, height);
      return new Uint16Array(new Uint16Array(buffer, to, count));
    }
    this.#kernel.packLongs(to, at, stride, width, height);
    return new Int32Array(new Int32Array(buffer, to, count));
  }

  /** In the kernel's memory; the planner ensures that all are bytes and of one size. */
  #interleaved({ components, wanted }: WindowJob, planes: readonly Plane[]): Uint8Array {
    const { width, height } = components[wanted[0] ?? 0] ?? damaged("a component");
    const count = width * height;
    const bytes = wanted.map((index) => {
      const { at, stride } = planes[index] ?? damaged("a component");
      const to = this.#room.take(count);
      this.#kernel.packBytes(to, at, stride, width, height);
      return to;
    });
    const [first = 0] = bytes;
    if (bytes.length === 1) return new Uint8Array(this.#kernel.memory.buffer, first, count);
    const to = this.#room.take(count * bytes.length);
    for (const [index, from] of bytes.entries())
      this.#kernel.spreadBytes(to + index, from, count, bytes.length);
    return new Uint8Array(this.#kernel.memory.buffer, to, count * bytes.length);
  }
}

/** Whether two components have samples of the same kind and number. */
const areAlike = (one: ComponentJob, other: ComponentJob): boolean =>
  one.width === other.width &&
  one.height === other.height &&
  one.reversible === other.reversible &&
  one.precision === other.precision &&
  one.signed === other.signed;

/** The value added to samples, and their range afterwards. */
const depthOf = ({ precision, signed }: ComponentJob) => {
  const half = 2 ** (precision - 1);
  return signed
    ? { level: 0, min: -half, max: half - 1 }
    : { level: half, min: 0, max: 2 * half - 1 };
};
