import { crc32 } from "node:zlib";

/**
 * The end of a header, and its content. Sizes are those of the data alone, where the header has
 * them.
 */
export interface XzBlock {
  readonly end: number;
  readonly packed?: number | undefined;
  readonly unpacked?: number | undefined;
  /** The distances of delta filters, in the order in which they are undone. */
  readonly deltas: readonly number[];
}

/** The index's entry of a block: its unpadded size in the stream, and its uncompressed size. */
export interface XzRecord {
  readonly stored: number;
  readonly unpacked: number;
}

export const streamHeaderBytes = 12;

/** The type of check that every block ends with (2.1.1.2); throws where no stream begins. */
export const readStreamHeader = (bytes: Uint8Array): number => {
  const isThere =
    bytes.length >= streamHeaderBytes && magic.every((byte, at) => bytes[at] === byte);
  if (!isThere) throw new Error("no XZ stream begins here");
  expectSum(bytes, 6, 8);
  return checkOf(bytes, 6);
};

/**
 * The header of the block that begins there (3.1); throws where it is corrupt, or has an unknown
 * filter.
 */
export const readBlockHeader = (bytes: Uint8Array, start: number): XzBlock => {
  const fields = new XzFields(bytes, start);
  const sum = start + fields.byte() * 4;
  expectSum(bytes, start, sum);
  const flags = fields.byte();
  if ((flags & 0x3c) !== 0) throw new Error("an XZ block has flags that are not known");
  const packed = (flags & 0x40) === 0 ? undefined : fields.number();
  const unpacked = (flags & 0x80) === 0 ? undefined : fields.number();
  const deltas = [];
  for (let left = flags & 3; left > 0; left--) deltas.unshift(readDelta(fields));
  readLzma2(fields);
  while (fields.at < sum) expectZero(fields.byte());
  if (fields.at > sum) throw damaged();
  return { end: sum + sumBytes, packed, unpacked, deltas };
};

/**
 * Parses what follows the last block, index and footer (4 and 2.1.2); throws where they do not
 * match these blocks.
 */
export const expectIndex = (
  bytes: Uint8Array,
  start: number,
  { check, records }: { readonly check: number; readonly records: readonly XzRecord[] },
): void => {
  const fields = new XzFields(bytes, start);
  expectZero(fields.byte());
  if (fields.number() !== records.length) throw damaged();
  for (const { stored, unpacked } of records)
    if (fields.number() !== stored || fields.number() !== unpacked) throw damaged();
  while ((fields.at - start) % 4 !== 0) expectZero(fields.byte());
  expectSum(bytes, start, fields.at);
  const footer = fields.at + sumBytes;
  const end = footer + streamHeaderBytes;
  if (end > bytes.length || bytes[end - 2] !== 0x59 || bytes[end - 1] !== 0x5a) throw damaged();
  if (word(bytes, footer) !== crc32(bytes.subarray(footer + 4, footer + 10))) throw damaged();
  const indexBytes = (word(bytes, footer + 4) + 1) * 4;
  if (indexBytes !== footer - start || checkOf(bytes, footer + 8) !== check) throw damaged();
};

const damaged = (): Error => new Error("the XZ stream is damaged");

const magic = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
const sumBytes = 4;
const filters = { delta: 3, lzma2: 0x21 };

const checkOf = (bytes: Uint8Array, at: number): number => {
  const check = bytes[at + 1] ?? 0xff;
  if (bytes[at] !== 0 || check > 15) throw new Error("an XZ stream has flags that are not known");
  return check;
};

const readDelta = (fields: XzFields): number => {
  const id = fields.number();
  if (id !== filters.delta) throw new Error(`an XZ stream has filter ${id}; only delta is undone`);
  if (fields.number() !== 1) throw damaged();
  return fields.byte() + 1;
};

const readLzma2 = (fields: XzFields): void => {
  const id = fields.number();
  if (id !== filters.lzma2) throw new Error(`an XZ stream has filter ${id} in place of LZMA2`);
  // The dictionary size is irrelevant when all output is in memory.
  if (fields.number() !== 1 || fields.byte() > 40) throw damaged();
};

/** The checksum at `end` has to be that of the bytes from `from` to there. */
const expectSum = (bytes: Uint8Array, from: number, end: number): void => {
  if (end + sumBytes > bytes.length || word(bytes, end) !== crc32(bytes.subarray(from, end)))
    throw damaged();
};

const expectZero = (byte: number): void => {
  if (byte !== 0) throw damaged();
};

const word = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);

/** Reads consecutive fields; throws beyond the end. */
class XzFields {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw damaged();
    return byte;
  }

  /** A number of up to nine bytes of seven bits each, least significant first (1.2). */
  number(): number {
    let value = 0;
    for (let place = 0; place < 9; place++) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** (7 * place);
      if (byte === 0 && place > 0) break;
      if (byte < 128) return value;
    }
    throw damaged();
  }
}
