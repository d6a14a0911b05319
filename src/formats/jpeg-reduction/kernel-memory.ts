import { reserve } from "../../core/wasm.ts";
import type { JpegKernel } from "./kernel.ts";

/** The memory of a kernel, taken piece by piece. Views become invalid when more is taken. */
export class KernelMemory {
  readonly #kernel: JpegKernel;
  #end: number;

  constructor(kernel: JpegKernel) {
    this.#kernel = kernel;
    this.#end = kernel.base();
  }

  /** The address of so many bytes, of any content. */
  take(bytes: number): number {
    const at = Math.ceil(this.#end / alignment) * alignment;
    this.#end = at + bytes;
    reserve(this.#kernel, this.#end + behind);
    return at;
  }

  /** Takes memory and copies bytes to it. */
  put({ buffer, byteOffset, byteLength }: Uint8Array | Int16Array | Int32Array): number {
    const at = this.take(byteLength);
    this.bytes(at, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
    return at;
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#kernel.memory.buffer, at, length);
  }

  /** Numbers of 32 bits, of which there are `length`. */
  words(at: number, length: number): Int32Array {
    return new Int32Array(this.#kernel.memory.buffer, at, length);
  }
}

/** In bytes. */
const alignment = 64;
/** How far kernels read and write beyond the end. */
const behind = 64;
