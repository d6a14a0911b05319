/** The positions and lengths of a tile's packets, in stored order. */
export interface PacketPlaces {
  /** In the joined bytes of all its parts. */
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

/**
 * Collects PLT's and PLM's lists of a tile's packets, part by part (ISO/IEC 15444-1, A.7.2, A.7.3).
 */
export class PacketLengths {
  readonly #parts: number[][] = [];
  #segments: { readonly index: number; readonly bytes: Uint8Array }[] = [];
  #packets = 0;
  #isTooMuch = false;

  /** Begins a part, for which PLM may have a list. */
  startPart(ofMain: Uint8Array | undefined): void {
    this.#segments = ofMain === undefined ? [] : [{ index: -1, bytes: ofMain }];
  }

  /** A PLT of the part: its index, and the data after it. */
  add(index: number, bytes: Uint8Array): void {
    // PLT has PLM's content, or more.
    if (this.#segments[0]?.index === -1) this.#segments = [];
    if (this.#segments.push({ index, bytes: bytes.slice() }) > maxSegments) this.#isTooMuch = true;
  }

  /** Ends the part. */
  endPart(): void {
    const lengths: number[] = [];
    this.#segments.sort((one, other) => one.index - other.index);
    let value = 0;
    for (const { bytes } of this.#segments)
      for (const byte of bytes) {
        value = value * 128 + (byte & 127);
        if (byte > 127) continue;
        // An implausibly long list is rejected: there is no point in continuing.
        if (lengths.push(value) + this.#packets > maxPackets) {
          this.#isTooMuch = true;
          this.#parts.push([]);
          return;
        }
        value = 0;
      }
    this.#packets += lengths.length;
    this.#parts.push(this.#isTooMuch ? [] : lengths);
  }

  /**
   * The positions of the packets, given the number of bytes of each part; undefined where any is
   * unknown or invalid.
   */
  places(parts: readonly number[]): PacketPlaces | undefined {
    if (this.#isTooMuch || this.#packets === 0 || parts.length !== this.#parts.length)
      return undefined;
    const offsets = new Float64Array(this.#packets);
    const lengths = new Float64Array(this.#packets);
    let packet = 0;
    let start = 0;
    for (const [part, bytes] of parts.entries()) {
      const ofPart = this.#parts[part] ?? [];
      let at = start;
      for (const length of ofPart) {
        offsets[packet] = at;
        lengths[packet] = length;
        packet++;
        at += length;
      }
      start += bytes;
      if (ofPart.length === 0 ? bytes > leftOver : at > start) return undefined;
    }
    return { offsets, lengths };
  }
}

/** The indexes of PLT have eight bits. */
const maxSegments = 256;
/** Beyond this, walking the packets takes less memory. */
const maxPackets = 2 ** 22;
/** The marker EOC may be counted to the last part. */
const leftOver = 2;
