import type { SampleLayout } from "../structure/index.ts";

/** Whether samples cross byte boundaries, which only unsigned ones of up to 32 bits may. */
export const isPacked = ({ bits, sampleFormat }: SampleLayout): boolean =>
  !(sampleFormat === "float" ? floats : integers).has(bits);

const integers: ReadonlySet<number> = new Set([8, 16, 32, 64]);
const floats: ReadonlySet<number> = new Set([16, 32, 64]);

/**
 * The samples of one decompressed tile as numbers, row after row, with the predictor undone. Packed
 * ones have at most 32 bits, and so do integers stored as differences.
 */
export const samplesOf = (
  layout: SampleLayout,
  bytes: Uint8Array,
  shape: { readonly littleEndian: boolean; readonly rows: number },
): Float64Array => {
  const perRow = layout.tile.width * (layout.planar ? 1 : layout.samples);
  const rowBytes = Math.ceil((perRow * layout.bits) / 8);
  const samples = new Float64Array(perRow * shape.rows);
  const ordered = layout.fillOrder === 2 ? bytes.map(reversed) : bytes;
  for (let row = 0; row < shape.rows; row++) {
    const from = ordered.subarray(row * rowBytes, (row + 1) * rowBytes);
    const into = samples.subarray(row * perRow, (row + 1) * perRow);
    if (layout.predictor === 3) floatRow(layout, from, into);
    else {
      readRow(layout, { from, into, littleEndian: shape.littleEndian });
      if (layout.predictor === 2) undoDifferences(layout, into);
    }
  }
  return samples;
};

const reversed = (byte: number): number => {
  let result = 0;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) result |= 0x80 >> bit;
  return result;
};

interface SampleRow {
  readonly from: Uint8Array;
  readonly into: Float64Array;
  readonly littleEndian: boolean;
}

const readRow = (layout: SampleLayout, row: SampleRow): void => {
  const { from, into } = row;
  const size = layout.bits / 8;
  const read = wholeReader(layout, row);
  if (read === undefined) readPacked(layout, row);
  else
    for (let index = 0; index < into.length && (index + 1) * size <= from.length; index++)
      into[index] = read(index * size);
};

/** Reads samples that take 1, 2, 4 or 8 bytes; undefined for all others. */
const wholeReader = (
  layout: SampleLayout,
  row: SampleRow,
): ((at: number) => number) | undefined => {
  const { from, littleEndian } = row;
  const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
  switch (`${layout.sampleFormat} ${layout.bits}`) {
    case "unsigned 8":
      return (at) => view.getUint8(at);
    case "unsigned 16":
      return (at) => view.getUint16(at, littleEndian);
    case "unsigned 32":
      return (at) => view.getUint32(at, littleEndian);
    case "unsigned 64":
      return (at) => Number(view.getBigUint64(at, littleEndian));
    case "signed 8":
      return (at) => view.getInt8(at);
    case "signed 16":
      return (at) => view.getInt16(at, littleEndian);
    case "signed 32":
      return (at) => view.getInt32(at, littleEndian);
    case "signed 64":
      return (at) => Number(view.getBigInt64(at, littleEndian));
    case "float 16":
      return (at) => half(view.getUint16(at, littleEndian));
    case "float 32":
      return (at) => view.getFloat32(at, littleEndian);
    case "float 64":
      return (at) => view.getFloat64(at, littleEndian);
    default:
      return undefined;
  }
};

/** Samples of any number of bits up to 32, most significant bit first, without padding. */
const readPacked = ({ bits }: SampleLayout, { from, into }: SampleRow): void => {
  let at = 0;
  for (let index = 0; index < into.length; index++) {
    let value = 0;
    for (let bit = 0; bit < bits; bit++, at++)
      value = value * 2 + (((from[at >> 3] ?? 0) >> (7 - (at & 7))) & 1);
    into[index] = value;
  }
};

/** TIFF 6.0 section 14: each sample is stored as the difference from its left neighbour. */
const undoDifferences = (layout: SampleLayout, row: Float64Array): void => {
  const { bits, sampleFormat } = layout;
  const stride = layout.planar ? 1 : layout.samples;
  const range = 2 ** bits;
  const lowest = sampleFormat === "signed" ? -range / 2 : 0;
  for (let index = stride; index < row.length; index++) {
    const sum = (row[index] ?? 0) + (row[index - stride] ?? 0) - lowest;
    row[index] = (((sum % range) + range) % range) + lowest;
  }
};

/**
 * The floating point predictor (Adobe's Technical Note 3): differences of bytes, sorted by
 * significance.
 */
const floatRow = (layout: SampleLayout, from: Uint8Array, into: Float64Array): void => {
  const size = layout.bits / 8;
  const stride = layout.planar ? 1 : layout.samples;
  const bytes = Uint8Array.from(from);
  for (let index = stride; index < bytes.length; index++)
    bytes[index] = (bytes[index] ?? 0) + (bytes[index - stride] ?? 0);
  const ordered = new Uint8Array(bytes.length);
  for (let index = 0; index < into.length; index++)
    for (let byte = 0; byte < size; byte++)
      ordered[index * size + byte] = bytes[byte * into.length + index] ?? 0;
  readRow(layout, { from: ordered, into, littleEndian: false });
};

const half = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};
