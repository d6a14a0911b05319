import { fail } from "../../core/errors.ts";
import type { Size } from "../../core/geometry.ts";
import type { BmpCoding } from "./header.ts";

type RunCoding = Exclude<BmpCoding, "plain">;

/**
 * The rows of run-length coded pixels, from the bottom up, with a byte per pixel, or three where
 * `coding` is `rle24`. Each row is overwritten by the next one. Skipped pixels are 0. Throws
 * `unreadable` where the bytes end before the image does; ends where they contain an end mark.
 */
export const runLengthRows = function* (
  coding: RunCoding,
  bytes: Uint8Array,
  { width, height }: Size,
): Generator<Uint8Array> {
  const runs = new Runs(coding, bytes, width);
  for (let y = 0; y < height && !runs.isOver; y++) {
    while (!runs.isRowOver) runs.step(y === height - 1);
    yield runs.row;
    runs.next();
  }
};

const endOfRow = 0;
const endOfPicture = 1;
const jump = 2;

/** The state of decoding runs. */
class Runs {
  readonly row: Uint8Array;
  readonly #coding: RunCoding;
  readonly #bytes: Uint8Array;
  readonly #width: number;
  /** Bytes per pixel in a row. */
  readonly #size: number;
  #at = 0;
  #x = 0;
  /** Finished rows to return before decoding continues. */
  #passed = 0;
  /** Whether the end mark was read. */
  isOver = false;
  #isDirty = false;

  constructor(coding: RunCoding, bytes: Uint8Array, width: number) {
    this.#coding = coding;
    this.#bytes = bytes;
    this.#width = width;
    this.#size = coding === "rle24" ? 3 : 1;
    this.row = new Uint8Array(width * this.#size);
  }

  get isRowOver(): boolean {
    return this.isOver || this.#passed > 0;
  }

  next(): void {
    // Most rows that a file skips are empty.
    if (this.#isDirty) this.row.fill(0);
    this.#isDirty = false;
    if (this.#passed > 0) this.#passed--;
  }

  /** Decodes one command. */
  step(isLast: boolean): void {
    // Files often omit the end mark.
    if (isLast && this.#at >= this.#bytes.length && this.#x >= this.#width) {
      this.isOver = true;
      return;
    }
    this.#isDirty = true;
    const count = this.#byte();
    if (count > 0) {
      const from = this.#at;
      this.#skip(this.#size);
      this.#repeat(count, from);
    } else this.#command(this.#byte());
  }

  #command(code: number): void {
    if (code === endOfRow) {
      this.#x = 0;
      this.#passed = 1;
    } else if (code === endOfPicture) this.isOver = true;
    else if (code === jump) {
      this.#x = Math.min(this.#width, this.#x + this.#byte());
      this.#passed = this.#byte();
    } else {
      const from = this.#at;
      const length = this.#coding === "rle4" ? (code + 1) >> 1 : code * this.#size;
      // Stretches of single pixels are padded to even lengths.
      this.#skip(Math.min(length + (length & 1), Math.max(length, this.#bytes.length - from)));
      this.#copy(code, from);
    }
  }

  #byte(): number {
    return this.#bytes[this.#at++] ?? tooShort();
  }

  #skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) tooShort();
  }

  #repeat(count: number, from: number): void {
    const end = Math.min(this.#width, this.#x + count);
    const [first = 0] = this.#bytes.subarray(from);
    for (let pixel = 0; this.#x < end; pixel++, this.#x++)
      if (this.#coding === "rle4") this.row[this.#x] = pixel & 1 ? first & 15 : first >> 4;
      else this.#put(from);
  }

  #copy(count: number, from: number): void {
    const end = Math.min(this.#width, this.#x + count);
    for (let pixel = 0; this.#x < end; pixel++, this.#x++)
      if (this.#coding === "rle4") {
        const byte = this.#bytes[from + (pixel >> 1)] ?? 0;
        this.row[this.#x] = pixel & 1 ? byte & 15 : byte >> 4;
      } else this.#put(from + pixel * this.#size);
  }

  #put(from: number): void {
    for (let part = 0; part < this.#size; part++)
      this.row[this.#x * this.#size + part] = this.#bytes[from + part] ?? 0;
  }
}

const tooShort = (): never => fail("unreadable", "Truncated run-length coded rows in the BMP.");
