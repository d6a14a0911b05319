/**
 * The bits of packet headers; after a byte of 255 comes one of seven bits (ISO/IEC 15444-1,
 * B.10.1).
 */
export class HeaderBits {
  #bytes: Uint8Array = none;
  #next = 0;
  #byte = 0;
  #left = 0;

  /** Whether more bits were read than there are; the excess is 0. */
  get isPast(): boolean {
    return this.#next > this.#bytes.length;
  }

  /** Number of used bytes of the latest input. */
  get used(): number {
    return this.#next;
  }

  /** Begins a packet header. */
  start(bytes: Uint8Array): void {
    this.#byte = 0;
    this.#left = 0;
    this.continue(bytes);
  }

  /** Continues with bytes that begin after the used ones. */
  continue(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#next = 0;
  }

  bit(): number {
    if (this.#left === 0) {
      this.#left = this.#byte === 255 ? 7 : 8;
      this.#byte = this.#bytes[this.#next++] ?? 0;
    }
    this.#left--;
    return (this.#byte >> this.#left) & 1;
  }

  /** A number of up to 32 bits. */
  bits(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++) value = value * 2 + this.bit();
    return value;
  }

  /** Ends the header: skips the rest of the last byte, and a byte stuffed after 255. */
  end(): void {
    this.#left = 0;
    if (this.#byte === 255) this.#next++;
    this.#byte = 0;
  }
}

const none = new Uint8Array(0);
