import { type Kernel, kernelOn, reserve } from "../../../core/wasm.ts";
import { expandCodewords } from "./ht-codewords.ts";

/** What `assembly/jpeg2000` offers; places and strides in its memory are bytes. */
export interface CodestreamKernel extends Kernel {
  base(): number;
  /** Where the codewords of HT blocks have to be. */
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

/** A kernel on memory of its own. */
export const newCodestreamKernel = (module: WebAssembly.Module): CodestreamKernel => {
  const kernel = kernelOn<CodestreamKernel>(module, new WebAssembly.Memory({ initial: 16 }));
  const codewords = expandCodewords();
  new Uint16Array(kernel.memory.buffer, kernel.codewordTable(), codewords.length).set(codewords);
  return kernel;
};

/** Hands out the memory of a kernel piece by piece, and takes back the latest pieces. */
export class KernelRoom {
  readonly kernel: CodestreamKernel;
  #next: number;
  /** What the kernel's memory has at least. */
  #bytes = 0;

  /** From a place on. */
  constructor(kernel: CodestreamKernel, from: number) {
    this.kernel = kernel;
    this.#next = aligned(from);
  }

  /** Where the next piece will be. */
  get mark(): number {
    return this.#next;
  }

  /**
   * So many bytes, and a few more behind them that vectors may touch. Views of the memory are void
   * then.
   */
  take(bytes: number): number {
    const at = this.#next;
    this.#next = aligned(at + bytes + slack);
    // Asking WebAssembly how much there is takes longer than all of this.
    if (this.#next > this.#bytes) {
      reserve(this.kernel, this.#next);
      this.#bytes = this.kernel.memory.buffer.byteLength;
    }
    return at;
  }

  /** Gives back all that was taken since `mark`. */
  back(mark: number): void {
    this.#next = mark;
  }
}

const slack = 128;
const aligned = (at: number): number => (at + 15) & ~15;
