import { fail } from "../../core/errors.ts";
import type { ByteRange } from "../../core/range-reader.ts";
import { latin1, untilNul } from "./text.ts";

const maxItems = 4_096;
const maxExtents = 64;

/** An item in a file's list (ISO/IEC 14496-12, 8.11.6). */
export interface AvifItem {
  readonly id: number;
  /** Four characters, as in `Exif`. */
  readonly type: string;
  /** Of items of type `mime`; else empty. */
  readonly contentType: string;
}

/** The location of an item (ISO/IEC 14496-12, 8.11.3). */
export interface Location {
  /** Whether it is relative to the box `idat` rather than to the file. */
  readonly isInData: boolean;
  readonly extents: readonly ByteRange[];
}

/** Parses the contents of the box `iinf`; throws `unreadable` where they are truncated. */
export const readItems = (bytes: Buffer): AvifItem[] => {
  const cursor = new Cursor(bytes);
  const version = cursor.number(1);
  cursor.skip(3);
  const count = cursor.number(version === 0 ? 2 : 4);
  const items: AvifItem[] = [];
  for (let index = 0; index < Math.min(count, maxItems); index++) {
    const length = cursor.number(4);
    const entry = new Cursor(cursor.bytes(Math.max(0, length - 4)));
    entry.skip(4);
    const form = entry.number(1);
    entry.skip(3);
    // Older forms have no item types.
    if (form !== 2 && form !== 3) continue;
    const id = entry.number(form === 2 ? 2 : 4);
    entry.skip(2);
    const type = latin1(entry.bytes(4));
    const [, contentType = ""] = latin1(entry.rest()).split("\0", 2);
    items.push({ id, type, contentType: type === "mime" ? untilNul(contentType) : "" });
  }
  return items;
};

/**
 * Parses the contents of the box `iloc`; locations in other files are skipped. Throws `unreadable`
 * where they are truncated.
 */
export const readLocations = (bytes: Buffer): ReadonlyMap<number, Location> => {
  const cursor = new Cursor(bytes);
  const version = cursor.number(1);
  cursor.skip(3);
  const sizes = cursor.number(2);
  const offsetSize = sizes >> 12;
  const lengthSize = (sizes >> 8) & 15;
  const baseSize = (sizes >> 4) & 15;
  const indexSize = version === 0 ? 0 : sizes & 15;
  const count = cursor.number(version < 2 ? 2 : 4);
  const locations = new Map<number, Location>();
  for (let item = 0; item < Math.min(count, maxItems); item++) {
    const id = cursor.number(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : cursor.number(2) & 15;
    const reference = cursor.number(2);
    const base = cursor.number(baseSize);
    const extentCount = cursor.number(2);
    if (extentCount > maxExtents && offsetSize + lengthSize + indexSize === 0)
      fail("unreadable", "Expected a known size of the locations of items.");
    const extents = Array.from({ length: extentCount }, () => {
      cursor.skip(indexSize);
      return { offset: base + cursor.number(offsetSize), length: cursor.number(lengthSize) };
    });
    if (method < 2 && reference === 0 && extentCount <= maxExtents)
      locations.set(id, { isInData: method === 1, extents });
  }
  return locations;
};

/** Reads consecutive big-endian numbers; throws `unreadable` at the end. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Of 0 to 8 bytes; no bytes are the number 0. */
  number(size: number): number {
    let value = 0;
    for (const byte of this.bytes(size)) value = value * 256 + byte;
    return value;
  }

  bytes(length: number): Buffer {
    const from = this.#at;
    this.skip(length);
    return this.#bytes.subarray(from, this.#at);
  }

  rest(): Buffer {
    return this.bytes(this.#bytes.length - this.#at);
  }

  skip(length: number): void {
    if (this.#at + length > this.#bytes.length) fail("unreadable", "Truncated list of items.");
    this.#at += length;
  }
}
