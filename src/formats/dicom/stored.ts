import type { Description, Photometric } from "./description.ts";

/** Stored values, in the smallest type for their bits and sign. */
export type StoredValues = Uint8Array | Uint16Array | Int16Array | Int32Array | Float64Array;

/** Stored values of a region, pixel by pixel, row by row. */
export interface StoredPart {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly values: StoredValues;
  /** The type of values once the coding is undone. */
  readonly photometric: Photometric;
}

type Bits = Pick<Description, "stored" | "shift" | "signed" | "float" | "allocated">;

/** An array for so many stored values. */
export const storedValues = (bits: Bits, count: number): StoredValues => {
  if (bits.float || (bits.stored > 31 && !bits.signed)) return new Float64Array(count);
  if (bits.stored > 16) return new Int32Array(count);
  if (bits.signed) return new Int16Array(count);
  return bits.stored <= 8 ? new Uint8Array(count) : new Uint16Array(count);
};

/** Extracts the stored bits of a sample, with its sign. */
export const countedOf = ({ stored, shift, signed }: Bits): ((raw: number) => number) => {
  if (stored >= 32) return signed ? (raw) => raw | 0 : (raw) => raw >>> 0;
  const mask = 2 ** stored - 1;
  if (!signed) return (raw) => (raw >>> shift) & mask;
  const unused = 32 - stored;
  return (raw) => ((raw >>> shift) << unused) >> unused;
};

/** Samples in memory, of whole bytes. */
export interface RawSamples {
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  /** Bytes between two consecutive samples. */
  readonly step: number;
}

/** Reads `count` samples of `allocated` bits each into every `stride`th element from `at` on. */
export const takeSamples = (
  { bytes, littleEndian, step }: RawSamples,
  bits: Bits,
  {
    into,
    at,
    stride,
    count,
  }: {
    readonly into: StoredValues;
    readonly at: number;
    readonly stride: number;
    readonly count: number;
  },
): void => {
  if (bits.allocated === 8 && bits.stored === 8 && !bits.signed && step === 1 && stride === 1) {
    into.set(bytes.subarray(0, count), at);
    return;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const raw = rawReader(view, bits, littleEndian);
  const value = bits.float ? (number: number): number => number : countedOf(bits);
  for (let index = 0; index < count; index++) into[at + index * stride] = value(raw(index * step));
};

const rawReader = (
  view: DataView,
  { allocated, float }: Bits,
  littleEndian: boolean,
): ((at: number) => number) => {
  if (allocated === 8) return (at) => view.getUint8(at);
  if (allocated === 16) return (at) => view.getUint16(at, littleEndian);
  if (!float) return (at) => view.getUint32(at, littleEndian);
  return allocated === 32
    ? (at) => view.getFloat32(at, littleEndian)
    : (at) => view.getFloat64(at, littleEndian);
};
