import { tags } from "./tags.ts";

/** A field ready to be written: its values' bytes in the file's byte order. */
export interface AssembledField {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** The parts of a small TIFF. */
export interface Assembly {
  readonly littleEndian: boolean;
  readonly width: number;
  readonly height: number;
  /** Set for tiles; an image without is stored in strips of `rowsPerStrip`. */
  readonly tile?: { readonly width: number; readonly height: number };
  readonly rowsPerStrip?: number;
  /** Everything but sizes, offsets and counts. */
  readonly fields: readonly AssembledField[];
  /** Length in bytes of each tile or strip, in order. */
  readonly lengths: readonly number[];
}

/** A classic TIFF of one image in memory, and the destinations of each tile's or strip's bytes. */
export interface Assembled {
  readonly file: Uint8Array;
  readonly slots: readonly Uint8Array[];
}

const headerSize = 8;
const entrySize = 12;
const long = 4;

/** Lays out a TIFF whose tiles or strips are filled in afterwards. */
export const assembleTiff = (assembly: Assembly): Assembled => {
  const { littleEndian, width, height, tile, lengths } = assembly;
  const numbers = (tag: number, values: readonly number[]): AssembledField => {
    const bytes = new Uint8Array(values.length * 4);
    const view = new DataView(bytes.buffer);
    for (const [index, value] of values.entries()) view.setUint32(index * 4, value, littleEndian);
    return { tag, type: long, count: values.length, bytes };
  };
  const shape =
    tile === undefined
      ? [numbers(tags.rowsPerStrip, [assembly.rowsPerStrip ?? height])]
      : [numbers(tags.tileWidth, [tile.width]), numbers(tags.tileLength, [tile.height])];
  const offsets = numbers(
    tile === undefined ? tags.stripOffsets : tags.tileOffsets,
    lengths.map(() => 0),
  );
  const counts = tile === undefined ? tags.stripByteCounts : tags.tileByteCounts;
  const fields = [
    ...assembly.fields,
    numbers(tags.imageWidth, [width]),
    numbers(tags.imageLength, [height]),
    ...shape,
    offsets,
    numbers(counts, lengths),
  ].sort((a, b) => a.tag - b.tag);
  const directoryEnd = headerSize + 2 + fields.length * entrySize + 4;
  const places = placesOf(fields, directoryEnd);
  const starts = placesOf(
    lengths.map((length) => ({ bytes: { length } })),
    places.end,
    { inline: 0 },
  );
  const offsetView = new DataView(offsets.bytes.buffer);
  for (const [index, start] of starts.at.entries())
    offsetView.setUint32(index * 4, start, littleEndian);
  const file = new Uint8Array(starts.end);
  writeDirectory(file, { fields, places: places.at, littleEndian });
  const slots = lengths.map((length, index) => {
    const start = starts.at[index] ?? 0;
    return file.subarray(start, start + length);
  });
  return { file, slots };
};

/** Allocates space for values that do not fit into their entry, at even positions. */
const placesOf = (
  things: readonly { readonly bytes: { readonly length: number } }[],
  from: number,
  { inline } = { inline: 4 },
): { at: number[]; end: number } => {
  let end = from;
  const at = things.map(({ bytes }) => {
    if (bytes.length <= inline) return end;
    const start = end;
    end += bytes.length + (bytes.length & 1);
    return start;
  });
  return { at, end };
};

const writeDirectory = (
  file: Uint8Array,
  content: {
    readonly fields: readonly AssembledField[];
    readonly places: readonly number[];
    readonly littleEndian: boolean;
  },
): void => {
  const { fields, places, littleEndian } = content;
  const view = new DataView(file.buffer);
  view.setUint16(0, littleEndian ? 0x4949 : 0x4d4d, false);
  view.setUint16(2, 42, littleEndian);
  view.setUint32(4, headerSize, littleEndian);
  view.setUint16(headerSize, fields.length, littleEndian);
  for (const [index, field] of fields.entries()) {
    const at = headerSize + 2 + index * entrySize;
    view.setUint16(at, field.tag, littleEndian);
    view.setUint16(at + 2, field.type, littleEndian);
    view.setUint32(at + 4, field.count, littleEndian);
    if (field.bytes.length <= 4) file.set(field.bytes, at + 8);
    else {
      const place = places[index] ?? 0;
      view.setUint32(at + 8, place, littleEndian);
      file.set(field.bytes, place);
    }
  }
};
