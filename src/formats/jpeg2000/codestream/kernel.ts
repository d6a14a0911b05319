import { type Kernel, kernelOn, reserve } from "../../../core/wasm.ts";
import { expandCodewords } from "./ht-codewords.ts";

/** The exports of `assembly/jpeg2000`; addresses and strides in its memory are bytes. */
export interface CodestreamKernel extends Kernel {
  base(): number;
  /** Address for the codewords of HT blocks. */
  codewordTable(): number;
  clearUncovered(
    blocks: number,
    count: number,
    to: number,
    stride: number,
    width: number,
    height: number,
  ): void;
  placeBlocks(
    blocks: number,
    count: number,
    bytes: number,
    segments: number,
    to: number,
    stride: number,
    width: number,
    height: number,
    band: number,
    magnitudeBits: number,
    style: number,
    shift: number,
    isWhole: boolean,
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

/** A kernel, with its own memory where none is given. */
export const newCodestreamKernel = (
  module: WebAssembly.Module,
  memory = new WebAssembly.Memory({ initial: 16 }),
): CodestreamKernel => {
  const kernel = kernelOn<CodestreamKernel>(module, memory);
  const codewords = expandCodewords();
  new Uint16Array(kernel.memory.buffer, kernel.codewordTable(), codewords.length).set(codewords);
  return kernel;
};

/** Allocates the memory of a kernel as a stack. */
export class KernelRoom {
  readonly kernel: CodestreamKernel;
  readonly #end: number;
  #next: number;
  /** Minimum size of the kernel's memory. */
  #bytes = 0;

  /** From a place on, and up to `end`. */
  constructor(kernel: CodestreamKernel, from: number, end = Number.POSITIVE_INFINITY) {
    this.kernel = kernel;
    this.#end = end;
    this.#next = aligned(from);
  }

  /** Address of the next allocation. */
  get mark(): number {
    return this.#next;
  }

  /**
   * Allocates so many bytes, and a few more after them that vectors may touch. Invalidates views of
   * the memory. Throws where there is no room.
   */
  take(bytes: number): number {
    const at = this.#next;
    this.#next = aligned(at + bytes + slack);
    if (this.#next > this.#end)
      throw new Error(`Expected a window that needs at most ${this.#end} bytes to decode.`);
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
