/**
 * The bits of packet headers; behind a byte of 255 comes one of seven (ISO/IEC 15444-1, B.10.1).
 */
export class HeaderBits {
  #bytes: Uint8Array = none;
  #next = 0;
  #byte = 0;
  #left = 0;

  /** Whether more bits were asked for than there are; such bits are 0. */
  get isPast(): boolean {
    return this.#next > this.#bytes.length;
  }

  /** How many bytes of what was given last are used up. */
  get used(): number {
    return this.#next;
  }

  /** Begins a packet header. */
  start(bytes: Uint8Array): void {
    this.#byte = 0;
    this.#left = 0;
    this.continue(bytes);
  }

  /** Goes on with bytes that begin behind those that are used. */
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

  /**
   * Ends the header: what is left of the last byte is passed over, and a byte stuffed behind 255.
   */
  end(): void {
    this.#left = 0;
    if (this.#byte === 255) this.#next++;
    this.#byte = 0;
  }
}

const none = new Uint8Array(0);
