import { fail } from "../../core/errors.ts";

/** Parses the big-endian numbers of a marker segment in order; throws `unreadable` past its end. */
export class Fields {
  readonly #bytes: Uint8Array;
  readonly #name: string;
  #at: number;

  /** `name` is the segment's, for messages: SIZ, COD. */
  constructor(name: string, bytes: Uint8Array, at = 0) {
    this.#name = name;
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Number of remaining bytes. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#bytes[this.#advance(1)] ?? 0;
  }

  short(): number {
    return this.byte() * 256 + this.byte();
  }

  long(): number {
    return this.short() * 65_536 + this.short();
  }

  /** A number of so many bytes, 0 to 4; 0 bytes are the number 0. */
  number(bytes: number): number {
    let value = 0;
    for (let count = 0; count < bytes; count++) value = value * 256 + this.byte();
    return value;
  }

  /** Bytes that share the memory of the segment. */
  bytes(count: number): Uint8Array {
    const at = this.#advance(count);
    return this.#bytes.subarray(at, at + count);
  }

  #advance(count: number): number {
    if (count > this.left)
      fail("unreadable", `Expected ${count} more bytes in ${this.#name} of the JPEG 2000.`);
    const at = this.#at;
    this.#at += count;
    return at;
  }
}

/** Throws `unreadable` with the fault of the codestream. */
export const damaged = (expected: string, cause?: unknown): never =>
  fail("unreadable", `Expected ${expected} in the JPEG 2000.`, cause);
