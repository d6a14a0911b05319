import type { AssembledField } from "./assembly.ts";

/** Types of fields (TIFF 6.0, section 2; BigTIFF for the last). */
export const types = {
  byte: 1,
  short: 3,
  long: 4,
  rational: 5,
  undefined: 7,
  ifd: 13,
  long8: 16,
  ifd8: 18,
} as const;

/** Numbers of 16 bits. */
export const shorts = (tag: number, ...values: readonly number[]): AssembledField => ({
  tag,
  type: types.short,
  count: values.length,
  bytes: numbersOf(values, 2),
});

/** Numbers of 32 bits. */
export const longs = (tag: number, ...values: readonly number[]): AssembledField => ({
  tag,
  type: types.long,
  count: values.length,
  bytes: numbersOf(values, 4),
});

/** Untyped bytes. */
export const plainBytes = (tag: number, type: number, bytes: Uint8Array): AssembledField => ({
  tag,
  type,
  count: bytes.length,
  bytes,
});

/** Numbers of so many bytes each, little-endian. */
export const numbersOf = (values: ArrayLike<number>, size: 2 | 4 | 8): Uint8Array => {
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    if (size === 2) view.setUint16(index * 2, value, true);
    else if (size === 4) view.setUint32(index * 4, value, true);
    else view.setBigUint64(index * 8, BigInt(value), true);
  }
  return bytes;
};
