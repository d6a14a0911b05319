/**
 * How many bits follow, and what is added to them: one of the four forms of U32 (ISO/IEC 18181-1,
 * B.2.2).
 */
export type BitsForm = readonly [bits: number, plus: number];

/** Reads the bits of a JPEG XL header, least significant first; throws past the end. */
export class Bits {
  readonly #bytes: Uint8Array;
  #at: number;

  /** From a byte on. */
  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes;
    this.#at = from * 8;
  }

  /** A number of up to 32 bits: u(n). */
  number(count: number): number {
    if (this.#at + count > this.#bytes.length * 8)
      throw new RangeError("the header ends too early");
    let value = 0;
    for (let bit = 0; bit < count; bit++, this.#at++)
      value += (((this.#bytes[this.#at >> 3] ?? 0) >> (this.#at & 7)) & 1) * 2 ** bit;
    return value;
  }

  /** Bool(). */
  flag(): boolean {
    return this.number(1) === 1;
  }

  /** U32(): two bits select a form. */
  choice(...forms: readonly [BitsForm, BitsForm, BitsForm, BitsForm]): number {
    const [bits, plus] = forms[this.number(2)] ?? forms[0];
    return this.number(bits) + plus;
  }

  /** Enum(). */
  word(): number {
    return this.choice([0, 0], [0, 1], [4, 2], [6, 18]);
  }

  skip(count: number): void {
    for (let left = count; left > 0; left -= 32) this.number(Math.min(32, left));
  }
}
