import type { Size } from "../core/geometry.ts";

/** A finished level: where its tiles stand in the file, row by row, and how long each is, in bytes. */
export interface StoredLevel {
  readonly size: Size;
  readonly offsets: number[];
  readonly lengths: number[];
}

interface Layout {
  readonly bands: 1 | 3;
  readonly tile: number;
}

/**
 * The directories of a pyramid of JPEG tiles, one per level, chained, to stand at byte `position`;
 * and the header that points there. A BigTIFF where offsets need more than 32 bits, else a TIFF.
 */
export const layDirectories = (
  levels: readonly StoredLevel[],
  layout: Layout,
  position: number,
): { readonly header: Uint8Array; readonly body: Uint8Array } => {
  const classic = lay(levels, layout, position, tiff);
  return position + classic.body.length <= 0xffff_ffff
    ? classic
    : lay(levels, layout, position, bigTiff);
};

/** What sets TIFF and BigTIFF apart: the width of offsets and of counts. */
interface Flavour {
  readonly magic: readonly number[];
  readonly offset: 4 | 8;
  readonly entries: 2 | 8;
  readonly entry: 12 | 20;
}

const tiff: Flavour = { magic: [0x49, 0x49, 42, 0], offset: 4, entries: 2, entry: 12 };
const bigTiff: Flavour = {
  magic: [0x49, 0x49, 43, 0, 8, 0, 0, 0],
  offset: 8,
  entries: 8,
  entry: 20,
};

/** Field types by their TIFF numbers; `offset` is LONG or LONG8. */
type Field = readonly [tag: number, type: "short" | "long" | "offset", values: readonly number[]];

const lay = (
  levels: readonly StoredLevel[],
  layout: Layout,
  position: number,
  flavour: Flavour,
): { readonly header: Uint8Array; readonly body: Uint8Array } => {
  const chunks: Uint8Array[] = [];
  let at = position;
  for (const [index, level] of levels.entries()) {
    const last = index === levels.length - 1;
    const directory = layDirectory(fields(level, layout, index), flavour, { at, last });
    chunks.push(directory);
    at += directory.length;
  }
  const header = new Uint8Array(flavour.magic.length + flavour.offset);
  header.set(flavour.magic);
  put(header, flavour.magic.length, flavour.offset, position);
  return { header, body: Buffer.concat(chunks) };
};

/** In ascending order of tags, as TIFF 6.0 §2 wants it. */
const fields = (level: StoredLevel, { bands, tile }: Layout, index: number): readonly Field[] => [
  [254, "long", [index === 0 ? 0 : 1]], // NewSubfileType: a smaller version of another
  [256, "long", [level.size.width]],
  [257, "long", [level.size.height]],
  [258, "short", Array.from({ length: bands }, () => 8)], // BitsPerSample
  [259, "short", [7]], // Compression: JPEG
  [262, "short", [bands === 3 ? 6 : 1]], // PhotometricInterpretation: YCbCr or black is zero
  [277, "short", [bands]], // SamplesPerPixel
  [284, "short", [1]], // PlanarConfiguration: samples together
  [322, "long", [tile]],
  [323, "long", [tile]],
  [324, "offset", level.offsets],
  [325, "long", level.lengths],
  ...(bands === 3 ? [[530, "short", [1, 1]] satisfies Field] : []), // YCbCrSubSampling: none
];

const typeNumber = { short: 3, long: 4 } as const;

/** A directory followed by the values that do not fit into its entries, and a link to the next. */
const layDirectory = (
  all: readonly Field[],
  { offset, entries, entry }: Flavour,
  { at, last }: { readonly at: number; readonly last: boolean },
): Uint8Array => {
  const widths = all.map(([, type]) => (type === "short" ? 2 : type === "long" ? 4 : offset));
  const lengths = all.map(([, , values], index) => values.length * (widths[index] ?? 0));
  const own = entries + all.length * entry + offset;
  const outside = lengths.filter((length) => length > offset).map(even);
  const bytes = new Uint8Array(even(own) + outside.reduce((sum, length) => sum + length, 0));
  put(bytes, 0, entries, all.length);
  let free = even(own);
  for (const [index, [tag, type, values]] of all.entries()) {
    const start = entries + index * entry;
    const width = widths[index] ?? 0;
    const length = lengths[index] ?? 0;
    put(bytes, start, 2, tag);
    put(bytes, start + 2, 2, type === "offset" ? (offset === 8 ? 16 : 4) : typeNumber[type]);
    put(bytes, start + 4, offset, values.length);
    const inside = length <= offset;
    const place = inside ? start + 4 + offset : free;
    if (!inside) {
      put(bytes, start + 4 + offset, offset, at + free);
      free += even(length);
    }
    for (const [n, value] of values.entries()) put(bytes, place + n * width, width, value);
  }
  if (!last) put(bytes, own - offset, offset, at + bytes.length);
  return bytes;
};

const even = (length: number): number => length + (length % 2);

/** Little-endian. */
const put = (bytes: Uint8Array, at: number, width: number, value: number): void => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (width === 2) view.setUint16(at, value, true);
  else if (width === 4) view.setUint32(at, value, true);
  else view.setBigUint64(at, BigInt(value), true);
};
