/**
 * Writes integers of up to 2^53 - 1, small ones in few bytes: seven bits each, least significant
 * first.
 */
export class PackedWriter {
  #bytes = new Uint8Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  number(value: number): void {
    if (this.#length + maxBytes > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    let left = value;
    while (left > 127) {
      this.#bytes[this.#length++] = (left % 128) + 128;
      left = Math.floor(left / 128);
    }
    this.#bytes[this.#length++] = left;
  }

  /** The written bytes, in a buffer of exactly their size. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Reads what `PackedWriter` wrote; beyond the end there are zeros. */
export class PackedReader {
  /** The next byte. */
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = this.#bytes[this.at++] ?? 0;
    // Most numbers are small.
    if (value < 128) return value;
    value &= 127;
    for (let unit = 128; ; unit *= 128) {
      const byte = this.#bytes[this.at++] ?? 0;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  }
}

const maxBytes = 8;
