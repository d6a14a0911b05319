import { tagName } from "./tags.ts";

/**
 * Typed access to the values of a data set. All results are undefined where there is no value, or
 * none of the type.
 */
export class Attributes {
  readonly #values: ReadonlyMap<string, Buffer>;
  readonly littleEndian: boolean;
  readonly #path: string;

  constructor(values: ReadonlyMap<string, Buffer>, littleEndian: boolean, path = "") {
    this.#values = values;
    this.littleEndian = littleEndian;
    this.#path = path;
  }

  /** The attributes of a sequence's item, present or not. */
  item(sequence: number, index: number): Attributes {
    const path = `${this.#path}${tagName(sequence)}[${index}]/`;
    return new Attributes(this.#values, this.littleEndian, path);
  }

  bytes(tag: number): Buffer | undefined {
    return this.#values.get(this.#path + tagName(tag));
  }

  /** Unsigned integers of 16 bits; of 32 where the value has exactly four bytes. */
  whole(tag: number): number | undefined {
    const bytes = this.bytes(tag);
    if (bytes === undefined || bytes.length < 2) return undefined;
    if (bytes.length === 4) return this.littleEndian ? bytes.readUInt32LE() : bytes.readUInt32BE();
    return this.littleEndian ? bytes.readUInt16LE() : bytes.readUInt16BE();
  }

  /** As `whole`, of 16 bits, signed or unsigned. */
  sixteen(tag: number, signed: boolean, index = 0): number | undefined {
    const bytes = this.bytes(tag);
    const at = index * 2;
    if (bytes === undefined || bytes.length < at + 2) return undefined;
    const value = this.littleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
    return signed && value > 32_767 ? value - 65_536 : value;
  }

  /** Without padding. */
  text(tag: number): string | undefined {
    return this.bytes(tag)
      ?.toString("latin1")
      .replace(/[\0 ]+$/, "")
      .trimStart();
  }

  /** The first of the decimal numbers in a text. */
  decimal(tag: number): number | undefined {
    const text = this.text(tag)?.split("\\")[0]?.trim();
    if (text === undefined || !/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text))
      return undefined;
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }

  /** Unsigned 16-bit integers. */
  words(tag: number): Uint16Array | undefined {
    const bytes = this.bytes(tag);
    if (bytes === undefined) return undefined;
    return Uint16Array.from({ length: bytes.length >> 1 }, (_, index) =>
      this.littleEndian ? bytes.readUInt16LE(index * 2) : bytes.readUInt16BE(index * 2),
    );
  }
}
