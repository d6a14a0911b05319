import { type AssembledField, numbersOf, types } from "../../tiff/structure/index.ts";

/** A field whose values are in the file already, which several directories may share. */
export interface PlacedField extends Omit<AssembledField, "bytes"> {
  /** Offset of the first value in the file. */
  readonly at: number;
}

export type FileField = AssembledField | PlacedField;

/** Whether offsets take 8 bytes (BigTIFF) instead of 4 (TIFF 6.0). */
export interface Width {
  readonly big: boolean;
}

/** File offsets: of bytes, or of directories. */
export const positions = (
  tag: number,
  values: ArrayLike<number>,
  { big, directories = false }: Width & { readonly directories?: boolean },
): AssembledField => ({
  tag,
  type: directories ? (big ? types.ifd8 : types.ifd) : big ? types.long8 : types.long,
  count: values.length,
  bytes: numbersOf(values, big ? 8 : 4),
});

/** A serialised directory, and its length without the values that follow it. */
export interface DirectoryBytes {
  readonly bytes: Uint8Array;
  /** Position of the next directory's offset, relative to these bytes. */
  readonly link: number;
}

/**
 * A directory and the values that do not fit into it (TIFF 6.0, section 2; BigTIFF), little-endian,
 * for the even position `at` of the file.
 */
export const directoryBytes = (
  fields: readonly FileField[],
  { at, big }: Width & { readonly at: number },
): DirectoryBytes => {
  const sorted = [...fields].sort((one, other) => one.tag - other.tag);
  const sizes = big ? { count: 8, entry: 20, value: 8 } : { count: 2, entry: 12, value: 4 };
  const link = sizes.count + sorted.length * sizes.entry;
  const places: number[] = [];
  let end = link + sizes.value;
  for (const field of sorted) {
    const isBehind = "bytes" in field && field.bytes.length > sizes.value;
    if (isBehind) end += end & 1;
    places.push(end);
    if (isBehind) end += field.bytes.length;
  }
  const bytes = new Uint8Array(end);
  const view = new DataView(bytes.buffer);
  if (big) view.setBigUint64(0, BigInt(sorted.length), true);
  else view.setUint16(0, sorted.length, true);
  for (const [index, field] of sorted.entries()) {
    const entry = sizes.count + index * sizes.entry;
    view.setUint16(entry, field.tag, true);
    view.setUint16(entry + 2, field.type, true);
    writePosition(view, entry + 4, field.count, { big });
    const place = places[index] ?? 0;
    writeValue(bytes, field, { entry: entry + 4 + sizes.value, place, at, big });
  }
  return { bytes, link };
};

/** Writes the values of a field into its entry where they fit, else their offset. */
const writeValue = (
  bytes: Uint8Array,
  field: FileField,
  to: Width & { readonly entry: number; readonly place: number; readonly at: number },
): void => {
  const { entry, place, at, big } = to;
  const view = new DataView(bytes.buffer);
  if ("at" in field) writePosition(view, entry, field.at, { big });
  else if (field.bytes.length <= (big ? 8 : 4)) bytes.set(field.bytes, entry);
  else {
    writePosition(view, entry, at + place, { big });
    bytes.set(field.bytes, place);
  }
};

/** A number of an offset's width. */
export const writePosition = (view: DataView, at: number, value: number, { big }: Width): void => {
  if (big) view.setBigUint64(at, BigInt(value), true);
  else view.setUint32(at, value, true);
};

/** Space for the header of either kind. */
export const headerSize = 16;

/** The header: the kind of file, and the position of its first directory. */
export const headerBytes = (first: number, { big }: Width): Uint8Array => {
  const bytes = new Uint8Array(headerSize);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0x4949);
  view.setUint16(2, big ? 43 : 42, true);
  if (!big) view.setUint32(4, first, true);
  else {
    view.setUint16(4, 8, true);
    view.setBigUint64(8, BigInt(first), true);
  }
  return bytes;
};
