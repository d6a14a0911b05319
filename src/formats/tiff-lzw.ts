const clearCode = 256;
const endCode = 257;
const firstFree = 258;
const shortest = 9;
const longest = 12;

/**
 * Undoes the LZW of TIFF 6.0 section 13 (codes of 9 to 12 bits, high bit first, growing one code
 * early) into at most `length` bytes; throws where a code stands for nothing.
 */
export const unlzw = (bytes: Uint8Array, length: number): Uint8Array => {
  const strings = new Strings(length);
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xff_ffff;
    bits += 8;
    if (bits < strings.width) continue;
    bits -= strings.width;
    const code = (held >> bits) & ((1 << strings.width) - 1);
    if (code === endCode || strings.full) break;
    if (code === clearCode) strings.clear();
    else strings.add(code);
  }
  return strings.bytes();
};

/** The output, and the strings that codes stand for: all of them lie in it already. */
class Strings {
  readonly #out: Uint8Array;
  readonly #starts = new Uint32Array(1 << longest);
  readonly #lengths = new Uint32Array(1 << longest);
  #next = firstFree;
  #at = 0;
  /** Of the string written last; its length is 0 after a fresh start. */
  #last = { at: 0, length: 0 };
  /** Bits of the next code. */
  width = shortest;

  constructor(length: number) {
    this.#out = new Uint8Array(length);
  }

  get full(): boolean {
    return this.#at >= this.#out.length;
  }

  bytes(): Uint8Array {
    return this.#out.subarray(0, this.#at);
  }

  clear(): void {
    this.#next = firstFree;
    this.#last = { at: 0, length: 0 };
    this.width = shortest;
  }

  add(code: number): void {
    // A new string is the last one and the byte after it, which is the first of what comes now.
    if (this.#last.length > 0 && this.#next < 1 << longest) {
      this.#starts[this.#next] = this.#last.at;
      this.#lengths[this.#next] = this.#last.length + 1;
      this.#next++;
    }
    if (code >= this.#next) throw new Error("a code of the LZW data stands for nothing");
    const at = this.#at;
    if (code < clearCode) this.#out[this.#at++] = code;
    else this.#copy(code);
    this.#last = { at, length: this.#at - at };
    if (this.#next + 1 >= 1 << this.width && this.width < longest) this.width++;
  }

  /** Byte by byte: a string may reach into the one being written. */
  #copy(code: number): void {
    const end = Math.min(this.#at + (this.#lengths[code] ?? 0), this.#out.length);
    for (let from = this.#starts[code] ?? 0; this.#at < end; from++)
      this.#out[this.#at++] = this.#out[from] ?? 0;
  }
}
