import { latin1, textOf, utf16, withoutNuls, withoutPadding } from "./text.ts";
import { type TiffField, valueSizes } from "./tiff-structure.ts";
import type { Value } from "./values.ts";

/**
 * The values of a field without loss: one as it is, several as an array; a rational as `[numerator,
 * denominator]`, integers beyond 2^53 and floating-point values without a JSON form as text, bytes
 * of unknown meaning as `{ base64 }`.
 */
export const fieldValue = (field: TiffField, bytes: Buffer, littleEndian: boolean): Value => {
  const { tag, type, count } = field;
  // Other types are self-describing; and they distinguish tags that directories use twice.
  const isBytes = type === 1 || type === undefinedBytes;
  const special = isBytes ? specials.get(tag)?.(bytes, littleEndian) : undefined;
  if (special !== undefined) return special;
  if (type === ascii || type === unicode) return textValue(bytes);
  if (type === undefinedBytes) return { base64: bytes.toString("base64") };
  const read = readers[type];
  if (read === undefined) return { base64: bytes.toString("base64") };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = valueSizes[type] ?? 1;
  const values = Array.from({ length: count }, (_, index) =>
    read(view, index * size, littleEndian),
  );
  return values.length === 1 ? (values[0] ?? 0) : values;
};

const ascii = 2;
const undefinedBytes = 7;
const unicode = 129;

type ReadValue = (view: DataView, at: number, littleEndian: boolean) => Value;

const readers: Readonly<Record<number, ReadValue>> = {
  1: (view, at) => view.getUint8(at),
  3: (view, at, little) => view.getUint16(at, little),
  4: (view, at, little) => view.getUint32(at, little),
  5: (view, at, little) => [view.getUint32(at, little), view.getUint32(at + 4, little)],
  6: (view, at) => view.getInt8(at),
  8: (view, at, little) => view.getInt16(at, little),
  9: (view, at, little) => view.getInt32(at, little),
  10: (view, at, little) => [view.getInt32(at, little), view.getInt32(at + 4, little)],
  11: (view, at, little) => floating(view.getFloat32(at, little)),
  12: (view, at, little) => floating(view.getFloat64(at, little)),
  13: (view, at, little) => view.getUint32(at, little),
  16: (view, at, little) => whole(view.getBigUint64(at, little)),
  17: (view, at, little) => whole(view.getBigInt64(at, little)),
  18: (view, at, little) => whole(view.getBigUint64(at, little)),
};

/** JSON has no negative zero. */
const floating = (value: number): Value => (Number.isFinite(value) ? value + 0 : `${value}`);

const whole = (value: bigint): Value => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : `${value}`;
};

/** Several texts of one field are concatenated, each with a NUL at its end. */
const textValue = (bytes: Buffer): Value => {
  const texts = withoutNuls(textOf(bytes)).split("\0");
  return texts.length === 1 ? (texts[0] ?? "") : texts;
};

/** The meaning of a field that its type does not determine; undefined where it is invalid. */
type ReadSpecial = (bytes: Buffer, littleEndian: boolean) => Value | undefined;

/** A version in four digits, as in `0232`. */
const version: ReadSpecial = (bytes) => {
  const text = latin1(bytes);
  return /^[\x20-\x7e]{4}$/.test(text) ? text : undefined;
};

/** One byte each. */
const numbers: ReadSpecial = (bytes) =>
  bytes.length > 16 ? undefined : bytes.length === 1 ? bytes[0] : [...bytes];

/**
 * A text after eight bytes that name its encoding (Exif 3.0, 4.6.6.4.2); rarely used ones stay
 * bytes.
 */
const coded: ReadSpecial = (bytes, littleEndian) => {
  const text = bytes.subarray(8);
  switch (latin1(bytes.subarray(0, 8))) {
    case "ASCII\0\0\0":
    case "\0\0\0\0\0\0\0\0":
      return withoutPadding(textOf(text));
    case "UNICODE\0":
      return trimmed(utf16(text.subarray(0, text.length & ~1), littleEndian));
    default:
      return undefined;
  }
};

/** The fields that Windows adds: UTF-16 in bytes, little-endian in any file. */
const windowsText: ReadSpecial = (bytes) =>
  trimmed(utf16(bytes.subarray(0, bytes.length & ~1), true));

const trimmed = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : withoutPadding(text);

const specials: ReadonlyMap<number, ReadSpecial> = new Map([
  ...[0x0002, 0x9000, 0xa000].map((tag) => [tag, version] as const),
  ...[0x9101, 0xa300, 0xa301].map((tag) => [tag, numbers] as const),
  ...[0x9286, 0x001b, 0x001c].map((tag) => [tag, coded] as const),
  ...[0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f].map((tag) => [tag, windowsText] as const),
]);
