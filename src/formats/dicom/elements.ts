import { fail, ServerError } from "../../core/errors.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { ByteWindow } from "../containers/index.ts";
import { tagName, dicomTags as tags } from "./tags.ts";

/** The encoding of elements. */
export interface Encoding {
  readonly explicit: boolean;
  readonly littleEndian: boolean;
}

/** The pixel data element. */
export interface PixelElement {
  readonly tag: number;
  /** Two letters, as in `OW`; undefined where the value representation is implicit. */
  readonly kind: string | undefined;
  /** Offset of the value in the file. */
  readonly offset: number;
  /** In bytes; undefined where the value is a sequence of fragments. */
  readonly length: number | undefined;
}

/** What was found before the pixels. */
export interface DataSet {
  /** Values by their paths: `00280010`, and within sequences `52009230[2]/00289132[0]/00281050`. */
  readonly values: ReadonlyMap<string, Buffer>;
  readonly pixels: PixelElement | undefined;
  /** Offset in the file where the walk ended. */
  readonly end: number;
  /** Approximate memory of the values. */
  readonly bytes: number;
}

/** Which values of a data set to keep. */
export interface ElementFilter {
  readonly values: ReadonlySet<number>;
  /** Sequences to enter; others are skipped. */
  readonly sequences: ReadonlySet<number>;
}

/** The sequence or item being walked. */
interface Nest {
  readonly kind: "sequence" | "item";
  /** Its end; without a length, at its delimiter. */
  readonly end: number;
  /** Undefined where nothing in it is wanted. */
  readonly path: string | undefined;
  readonly explicit: boolean;
  items: number;
}

const deepest = 32;
const maxElements = 4_000_000;
const maxValues = 500_000;
/** Maximum bytes of all values together. */
const maxBytes = 33_554_432;
const bytesPerValue = 200;
const undefinedLength = 0xffffffff;

/** Representations whose length takes four bytes (PS3.5, table 7.1-1). */
const longKinds: ReadonlySet<string> = new Set([
  "OB",
  "OD",
  "OF",
  "OL",
  "OV",
  "OW",
  "SQ",
  "SV",
  "UC",
  "UN",
  "UR",
  "UT",
  "UV",
]);

interface Header {
  readonly tag: number;
  readonly kind: string | undefined;
  readonly offset: number;
  readonly length: number | undefined;
}

/**
 * Walks through the elements from an offset on, up to the pixels, the end, or an element of another
 * group than `group`, where given. Of nested elements only the end matters; unwanted values are not
 * read. Throws `unreadable` where elements contradict each other, are too many or nested too deep.
 */
export const walk = async (
  reader: RangeReader,
  start: number,
  wanted: WalkWanted,
): Promise<DataSet> => {
  const walk = new ElementWalk(reader, start, wanted);
  for (let count = 0; count < maxElements; count++) if (await walk.step()) return walk.found;
  return fail("unreadable", `Expected at most ${maxElements} DICOM elements before the pixels.`);
};

/** The options of `walk`. */
export interface WalkWanted {
  readonly encoding: Encoding;
  readonly wanted: ElementFilter;
  readonly group?: number;
  readonly signal: AbortSignal;
}

const shortestHeader = 8;
const longestHeader = 12;

const pixelTags: ReadonlySet<number> = new Set([tags.pixels, tags.floatPixels, tags.doublePixels]);

/** A walk in progress. */
class ElementWalk {
  readonly #window: ByteWindow;
  readonly #values = new Map<string, Buffer>();
  readonly #nests: Nest[] = [];
  readonly #wanted: WalkWanted;
  #at: number;
  #bytes = 0;
  #pixels: PixelElement | undefined;

  constructor(reader: RangeReader, start: number, wanted: WalkWanted) {
    this.#window = new ByteWindow(reader, reader.size, wanted.signal);
    this.#wanted = wanted;
    this.#at = start;
  }

  get found(): DataSet {
    return { values: this.#values, pixels: this.#pixels, end: this.#at, bytes: this.#bytes };
  }

  /** Advances by one element; returns whether the walk is over. */
  async step(): Promise<boolean> {
    while (this.#at >= (this.#nests.at(-1)?.end ?? Number.POSITIVE_INFINITY)) this.#nests.pop();
    const head = await this.#window.at(this.#at, longestHeader);
    if (head.length < shortestHeader) return true;
    const nest = this.#nests.at(-1);
    const { encoding, group } = this.#wanted;
    const explicit = nest?.explicit ?? encoding.explicit;
    const header = headerOf(head, this.#at, { ...encoding, explicit });
    const { tag, offset, length } = header;
    if (nest === undefined && group !== undefined && Math.floor(tag / 65_536) !== group)
      return true;
    if (nest === undefined && pixelTags.has(tag)) {
      this.#pixels = { tag, kind: header.kind, offset, length };
      return true;
    }
    if (tag === tags.item) this.#enterItem(header);
    else if (tag === tags.itemEnd || tag === tags.sequenceEnd) this.#leave(header);
    else await this.#pass(header, explicit);
    return false;
  }

  #enterItem(header: Header): void {
    const nest = this.#nests.at(-1);
    if (nest === undefined || nest.kind !== "sequence")
      throw new ServerError("unreadable", "DICOM item outside a sequence.");
    const path = nest.path && `${nest.path}[${nest.items++}]`;
    this.#enter(header, { kind: "item", path, explicit: nest.explicit });
  }

  #leave({ offset }: Header): void {
    if (this.#nests.pop() === undefined)
      fail("unreadable", "DICOM sequence delimiter outside a sequence.");
    this.#at = offset;
  }

  async #pass(header: Header, explicit: boolean): Promise<void> {
    const { tag, offset, length, kind } = header;
    const { wanted } = this.#wanted;
    const path = this.#pathOf(tag);
    const isWanted = path !== undefined && wanted.sequences.has(tag);
    if (length === undefined || isWanted) {
      // Sequences of an unknown kind are implicit (PS3.5, 6.2.2).
      const inside = kind === "UN" ? false : explicit;
      this.#enter(header, {
        kind: "sequence",
        path: isWanted ? path : undefined,
        explicit: inside,
      });
      return;
    }
    if (path !== undefined && wanted.values.has(tag)) await this.#keep(path, offset, length);
    this.#at = offset + length;
  }

  /** Undefined where nothing is wanted of its parent. */
  #pathOf(tag: number): string | undefined {
    const nest = this.#nests.at(-1);
    if (nest === undefined) return tagName(tag);
    if (nest.kind === "sequence")
      fail("unreadable", "Expected an item in a DICOM sequence, not another element.");
    return nest.path && `${nest.path}/${tagName(tag)}`;
  }

  #enter({ offset, length }: Header, nest: Pick<Nest, "kind" | "path" | "explicit">): void {
    if (this.#nests.length >= deepest)
      fail("unreadable", `Expected DICOM sequences nested at most ${deepest} deep.`);
    const end = length === undefined ? Number.POSITIVE_INFINITY : offset + length;
    this.#nests.push({ ...nest, end, items: 0 });
    this.#at = offset;
  }

  async #keep(path: string, offset: number, length: number): Promise<void> {
    this.#bytes += length + bytesPerValue;
    if (this.#bytes > maxBytes || this.#values.size >= maxValues)
      fail("unreadable", `Expected DICOM attributes of at most ${maxBytes} bytes; there are more.`);
    const value = await this.#window.at(offset, length);
    if (value.length < length)
      fail("unreadable", `Truncated DICOM attribute: expected ${length} bytes.`);
    if (!this.#values.has(path)) this.#values.set(path, Buffer.from(value.subarray(0, length)));
  }
}

const headerOf = (bytes: Uint8Array, at: number, { explicit, littleEndian }: Encoding): Header => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = view.getUint16(0, littleEndian) * 65_536 + view.getUint16(2, littleEndian);
  const isDelimiter = tag === tags.item || tag === tags.itemEnd || tag === tags.sequenceEnd;
  if (!explicit || isDelimiter)
    return {
      tag,
      kind: undefined,
      offset: at + 8,
      length: lengthOf(view.getUint32(4, littleEndian)),
    };
  const kind = String.fromCharCode(view.getUint8(4), view.getUint8(5));
  if (!longKinds.has(kind))
    return { tag, kind, offset: at + 8, length: view.getUint16(6, littleEndian) };
  if (bytes.length < longestHeader) return fail("unreadable", "Truncated DICOM element.");
  return { tag, kind, offset: at + 12, length: lengthOf(view.getUint32(8, littleEndian)) };
};

const lengthOf = (length: number): number | undefined =>
  length === undefinedLength ? undefined : length;
