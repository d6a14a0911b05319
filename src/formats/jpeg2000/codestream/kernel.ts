import { type Kernel, kernelOn, reserve } from "../../../core/wasm.ts";
import { expandCodewords } from "./ht-codewords.ts";

/** The exports of `assembly/jpeg2000`; addresses and strides in its memory are bytes. */
export interface CodestreamKernel extends Kernel {
  base(): number;
  /** Address for the codewords of HT blocks. */
  codewordTable(): number;
  clear(at: number, bytes: number): void;
  decodeBlock(
    from: number,
    length: number,
    segments: number,
    count: number,
    width: number,
    height: number,
    band: number,
    planes: number,
    style: number,
    to: number,
  ): void;
  decodeHtBlock(
    from: number,
    length: number,
    segments: number,
    count: number,
    plane: number,
    max: number,
    width: number,
    height: number,
    isCausal: boolean,
    to: number,
  ): void;
  placeHtBlock(
    segment: number,
    length: number,
    plane: number,
    max: number,
    width: number,
    left: number,
    top: number,
    columns: number,
    rows: number,
    to: number,
    stride: number,
    isWhole: boolean,
    half: number,
  ): void;
  placeKeptHtBlock(
    segment: number,
    length: number,
    plane: number,
    max: number,
    width: number,
    height: number,
    left: number,
    top: number,
    columns: number,
    rows: number,
    to: number,
    stride: number,
    isWhole: boolean,
    half: number,
    shorts: number,
  ): void;
  clearBeside(at: number, stride: number, width: number, height: number): void;
  unshift(at: number, count: number, shift: number): void;
  widen(to: number, from: number, count: number): void;
  narrow(to: number, from: number, count: number): void;
  placeWhole(
    to: number,
    toStride: number,
    from: number,
    fromStride: number,
    width: number,
    height: number,
  ): void;
  placeScaled(
    to: number,
    toStride: number,
    from: number,
    fromStride: number,
    width: number,
    height: number,
    half: number,
  ): void;
  placeWholeShorts(
    to: number,
    toStride: number,
    from: number,
    fromStride: number,
    width: number,
    height: number,
  ): void;
  placeScaledShorts(
    to: number,
    toStride: number,
    from: number,
    fromStride: number,
    width: number,
    height: number,
    half: number,
  ): void;
  synthesize(
    to: number,
    width: number,
    height: number,
    oddX: number,
    oddY: number,
    ll: number,
    llStride: number,
    hl: number,
    lh: number,
    hh: number,
    isReversible: boolean,
    scratch: number,
  ): void;
  toRgbWhole(...planes: readonly number[]): void;
  toRgbScaled(...planes: readonly number[]): void;
  toLevels(
    at: number,
    stride: number,
    width: number,
    height: number,
    isWhole: boolean,
    level: number,
    min: number,
    max: number,
  ): void;
  packBytes(to: number, from: number, stride: number, width: number, height: number): void;
  packShorts(to: number, from: number, stride: number, width: number, height: number): void;
  packLongs(to: number, from: number, stride: number, width: number, height: number): void;
  spreadBytes(to: number, from: number, count: number, components: number): void;
  pixelsOfThree(
    to: number,
    first: number,
    second: number,
    third: number,
    stride: number,
    width: number,
    height: number,
    isTransformed: boolean,
    isWhole: boolean,
    level: number,
    min: number,
    max: number,
  ): void;
}

/** A kernel with its own memory. */
export const newCodestreamKernel = (module: WebAssembly.Module): CodestreamKernel => {
  const kernel = kernelOn<CodestreamKernel>(module, new WebAssembly.Memory({ initial: 16 }));
  const codewords = expandCodewords();
  new Uint16Array(kernel.memory.buffer, kernel.codewordTable(), codewords.length).set(codewords);
  return kernel;
};

/** Allocates the memory of a kernel as a stack. */
export class KernelRoom {
  readonly kernel: CodestreamKernel;
  #next: number;
  /** Minimum size of the kernel's memory. */
  #bytes = 0;

  /** From a place on. */
  constructor(kernel: CodestreamKernel, from: number) {
    this.kernel = kernel;
    this.#next = aligned(from);
  }

  /** Address of the next allocation. */
  get mark(): number {
    return this.#next;
  }

  /**
   * Allocates so many bytes, and a few more after them that vectors may touch. Invalidates views of
   * the memory.
   */
  take(bytes: number): number {
    const at = this.#next;
    this.#next = aligned(at + bytes + slack);
    // Asking WebAssembly for the size takes longer than the rest.
    if (this.#next > this.#bytes) {
      reserve(this.kernel, this.#next);
      this.#bytes = this.kernel.memory.buffer.byteLength;
    }
    return at;
  }

  /** Frees everything allocated since `mark`. */
  back(mark: number): void {
    this.#next = mark;
  }
}

const slack = 128;
const aligned = (at: number): number => (at + 15) & ~15;
