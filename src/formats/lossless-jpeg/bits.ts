import { fail } from "../../core/errors.ts";

/**
 * A Huffman table for the decoding of ISO/IEC 10918-1, F.2.2.3, with direct lookup of short codes.
 */
export interface Codes {
  /**
   * By the next eight bits: the code's length times 256 plus its value; 0 where the code is longer.
   */
  readonly short: Uint16Array;
  /** By length: the largest code, or -1. */
  readonly largest: Int32Array;
  /** By length: the offset from a code to the index of its value. */
  readonly offsets: Int32Array;
  readonly values: Uint8Array;
}

/**
 * Builds a table from the numbers of codes by length, 1 to 16, and their values; throws
 * `unreadable` for an invalid one.
 */
export const codesOf = (counts: Uint8Array, values: Uint8Array): Codes => {
  const short = new Uint16Array(256);
  const largest = new Int32Array(18).fill(-1);
  const offsets = new Int32Array(18);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= 16; length++) {
    const count = counts[length - 1] ?? 0;
    if (code + count > 2 ** length || index + count > values.length)
      fail("unreadable", "Invalid Huffman table in a JPEG of the DICOM file.");
    offsets[length] = index - code;
    if (length <= 8)
      for (let number = 0; number < count; number++) {
        const from = (code + number) << (8 - length);
        const entry = length * 256 + (values[index + number] ?? 0);
        short.fill(entry, from, from + 2 ** (8 - length));
      }
    code += count;
    index += count;
    if (count > 0) largest[length] = code - 1;
    code *= 2;
  }
  return { short, largest, offsets, values };
};

/** Bits that may be read beyond the end: those of the last code, and lookahead. */
const maxMissing = 64;

/** The bits of a scan, without bytes stuffed after 0xff (F.1.2.3). */
export class ScanBits {
  readonly #bytes: Uint8Array;
  #at: number;
  #held = 0;
  #count = 0;
  #missing = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Where to look for the next marker. */
  get place(): number {
    return this.#at;
  }

  /** Continues after the next restart marker; throws `unreadable` where there is another one. */
  restart(): void {
    this.#held = 0;
    this.#count = 0;
    this.#missing = 0;
    const bytes = this.#bytes;
    while (
      this.#at + 1 < bytes.length &&
      (bytes[this.#at] !== 0xff || (bytes[this.#at + 1] ?? 0) === 0)
    )
      this.#at++;
    const marker = bytes[this.#at + 1] ?? 0;
    if (marker < 0xd0 || marker > 0xd7)
      fail("unreadable", "Expected a restart marker in a JPEG of the DICOM file.");
    this.#at += 2;
  }

  /** The value of the next code. */
  decode({ short, largest, offsets, values }: Codes): number {
    this.#fill(16);
    const entry = short[(this.#held >>> (this.#count - 8)) & 255] ?? 0;
    if (entry !== 0) {
      this.#count -= entry >> 8;
      return entry & 255;
    }
    for (let length = 9; length <= 16; length++) {
      const code = (this.#held >>> (this.#count - length)) & (2 ** length - 1);
      if (code <= (largest[length] ?? -1)) {
        this.#count -= length;
        return values[code + (offsets[length] ?? 0)] ?? 0;
      }
    }
    return fail("unreadable", "Invalid Huffman code in a JPEG of the DICOM file.");
  }

  /** A difference of so many bits, 0 to 16 (F.2.2.1, EXTEND). */
  difference(bits: number): number {
    if (bits === 0) return 0;
    this.#fill(bits);
    this.#count -= bits;
    const value = (this.#held >>> this.#count) & (2 ** bits - 1);
    return value < 2 ** (bits - 1) ? value - 2 ** bits + 1 : value;
  }

  /** Buffers at least so many bits, at most 16 of which are new bytes of the scan. */
  #fill(bits: number): void {
    while (this.#count < bits) {
      this.#held = (this.#held << 8) | this.#next();
      this.#count += 8;
    }
  }

  #next(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined || (byte === 0xff && this.#bytes[this.#at + 1] !== 0)) {
      this.#missing += 8;
      if (this.#missing > maxMissing) fail("unreadable", "Truncated JPEG in the DICOM file.");
      return 0;
    }
    this.#at += byte === 0xff ? 2 : 1;
    return byte;
  }
}
