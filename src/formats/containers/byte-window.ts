import { setImmediate } from "node:timers/promises";
import type { RangeReader } from "../../core/range-reader.ts";

/**
 * Reads a file forward: neighbouring pieces by one read, distant ones by small reads. Yields now
 * and then, since a walk through cached data would otherwise block the event loop.
 */
export class ByteWindow {
  readonly #reader: RangeReader;
  readonly #end: number;
  readonly #signal: AbortSignal;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #piece = smallest;
  #asked = 0;

  /** Of the bytes before `end`. */
  constructor(reader: RangeReader, end: number, signal: AbortSignal) {
    this.#reader = reader;
    this.#end = Math.min(end, reader.size);
    this.#signal = signal;
  }

  /** At least `length` bytes from an offset on, perhaps more, fewer only at the end. Read-only. */
  async at(offset: number, length: number): Promise<Uint8Array> {
    if (++this.#asked % readsPerIteration === 0) {
      await setImmediate();
      this.#signal.throwIfAborted();
    }
    const wanted = Math.max(0, Math.min(length, this.#end - offset));
    const start = offset - this.#at;
    if (start < 0 || start + wanted > this.#bytes.length) {
      const follows = start >= 0 && start <= this.#bytes.length + this.#piece;
      this.#piece = follows ? Math.min(this.#piece * 2, largest) : smallest;
      const size = Math.min(Math.max(wanted, this.#piece), this.#end - offset);
      this.#bytes = size > 0 ? await this.#reader.read(offset, size, this.#signal) : none;
      this.#at = offset;
      return this.#bytes;
    }
    return this.#bytes.subarray(start);
  }
}

/** Bytes between two yields: a few milliseconds. */
const readsPerIteration = 4_096;

const smallest = 4_096;
const largest = 262_144;
const none = new Uint8Array(0);
