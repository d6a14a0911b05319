import { reserve } from "../../core/wasm.ts";
import type { JpegKernel } from "./kernel.ts";

/** Fills memory with the bytes that follow; returns how many, less only at the end of the file. */
export type Supply = (to: Uint8Array) => number;

/** Where the bytes of a scan come from, and the part of a kernel's memory that they pass through. */
interface InputPlace {
  readonly from: number;
  readonly length: number;
  readonly supply: Supply;
}

/** The bytes of a scan, a window of which is in a kernel's memory. */
export class ScanInput {
  readonly #kernel: JpegKernel;
  readonly #place: InputPlace;
  #end: number;
  #isOver = false;

  constructor(kernel: JpegKernel, place: InputPlace) {
    this.#kernel = kernel;
    this.#place = place;
    this.#end = place.from;
    reserve(kernel, place.from + place.length + behindInput);
    kernel.supply(place.from, place.from);
  }

  /** Has at least so many bytes ready, or all that are left. */
  need(bytes: number): void {
    const at = this.#kernel.position();
    if (this.#isOver || this.#end - at >= bytes) return;
    const { from, length, supply } = this.#place;
    const memory = new Uint8Array(this.#kernel.memory.buffer);
    memory.copyWithin(from, at, this.#end);
    const kept = from + this.#end - at;
    const free = from + length - kept;
    const read = supply(memory.subarray(kept, kept + free));
    this.#isOver = read < free;
    this.#end = kept + read;
    memory.fill(0, this.#end, this.#end + behindInput);
    this.#kernel.supply(from, this.#end);
  }

  /** Whether the end of the image follows, after no more than was read ahead. */
  isAtEnd(): boolean {
    const at = this.#kernel.position();
    const rest = Buffer.from(this.#kernel.memory.buffer, at, Math.min(readAhead, this.#end - at));
    return rest.includes(endOfImage);
  }
}

/** What a kernel reads beyond its input. */
const behindInput = 16;
const readAhead = 10;
const endOfImage = Buffer.of(0xff, 0xd9);
