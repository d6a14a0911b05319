import { box, numbers } from "../jp2.ts";
import type { Coded } from "./coded.ts";
import { type HeifTrack, movieOf } from "./movie.ts";

/** An image of a HEIF file (ISO/IEC 23008-12): coded, derived from others, or data. */
export interface HeifItem {
  readonly id: number;
  /** Four characters, as in `grid`. */
  readonly type: string;
  readonly data: Uint8Array;
  /** Properties; those of `essentials` are marked so. */
  readonly properties: readonly Buffer[];
  /** Set where it is no image of its own. */
  readonly hidden?: boolean;
}

/** References between items: `dimg`, `auxl`, `thmb`. */
export interface HeifReference {
  readonly type: string;
  readonly from: number;
  readonly to: readonly number[];
}

export interface HeifParts {
  /** The major brand first. */
  readonly brands: readonly string[];
  readonly items?: readonly HeifItem[];
  /** Absent: the file names no primary item. */
  readonly primary?: number;
  readonly references?: readonly HeifReference[];
  readonly tracks?: readonly HeifTrack[];
}

/** A HEIF file; without items it has no box `meta`, without tracks no `moov`. */
export const heifOf = (parts: HeifParts): Buffer => {
  const { brands, items = [], tracks = [] } = parts;
  const [major = "mif1"] = brands;
  const fileType = box("ftyp", text(major), numbers(4, 0), ...brands.map(text));
  const data = [
    ...items.map((item) => item.data),
    ...tracks.flatMap(({ frames }) => frames.map((frame) => frame.data)),
  ];
  const boxesAt = (from: number): Buffer[] => {
    const places = placesOf(data, from);
    return [
      fileType,
      ...(items.length > 0 ? [metaOf(parts, places)] : []),
      ...(tracks.length > 0 ? [movieOf(tracks, places.slice(items.length))] : []),
    ];
  };
  const before = Buffer.concat(boxesAt(0)).length + 8;
  return Buffer.concat([...boxesAt(before), box("mdat", ...data)]);
};

/** A coded image as an item. */
export const codedItem = (id: number, coded: Coded, ...further: readonly Buffer[]): HeifItem => ({
  id,
  type: coded.type,
  data: coded.data,
  properties: [
    box(coded.type === "av01" ? "av1C" : "hvcC", coded.configuration),
    extents(coded),
    ...further,
  ],
});

/** An item derived from others (ISO/IEC 23008-12, 6.6). */
export const derivedItem = (
  id: number,
  type: string,
  { data = new Uint8Array(), size }: { data?: Uint8Array; size: Size },
  ...further: readonly Buffer[]
): HeifItem => ({ id, type, data, properties: [extents(size), ...further] });

/** The content of a grid of so many rows and columns (6.6.2.3). */
export const gridData = (rows: number, columns: number, { width, height }: Size): Buffer =>
  Buffer.concat([numbers(1, 0, 0, rows - 1, columns - 1), numbers(2, width, height)]);

/** The content of an overlay of images at positions (6.6.2.2), on opaque black. */
export const overlayData = (
  { width, height }: Size,
  ...places: readonly (readonly [x: number, y: number])[]
): Buffer =>
  Buffer.concat([
    numbers(1, 0, 0),
    numbers(2, 0, 0, 0, 65_535),
    numbers(2, width, height, ...places.flat()),
  ]);

/** The property that says an item is the opacity of another. */
export const alphaProperty = (): Buffer => box("auxC", numbers(4, 0), text(`${alphaUrn}\0`));
export const alphaUrn = "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha";

export const extents = ({ width, height }: Size): Buffer =>
  box("ispe", numbers(4, 0, width, height));

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Offset of data in the file. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

const placesOf = (data: readonly Uint8Array[], from: number): Place[] => {
  let offset = from;
  return data.map(({ length }) => {
    const place = { offset, length };
    offset += length;
    return place;
  });
};

const text = (characters: string): Buffer => Buffer.from(characters, "latin1");

const metaOf = (
  { items = [], primary, references = [] }: HeifParts,
  places: readonly Place[],
): Buffer => {
  const located = items.map(({ id }, index) => {
    const { offset, length } = places[index] ?? { offset: 0, length: 0 };
    return Buffer.concat([numbers(2, id, 0, 0, 1), numbers(4, offset, length)]);
  });
  const told = items.map(({ id, type, hidden }) =>
    box(
      "infe",
      numbers(4, hidden ? 0x02000001 : 0x02000000),
      numbers(2, id, 0),
      text(type),
      numbers(1, 0),
    ),
  );
  const referring = references.map(({ type, from, to }) =>
    box(type, numbers(2, from, to.length, ...to)),
  );
  return box(
    "meta",
    numbers(4, 0),
    box("hdlr", numbers(4, 0, 0), text("pict"), numbers(4, 0, 0, 0), numbers(1, 0)),
    ...(primary === undefined ? [] : [box("pitm", numbers(4, 0), numbers(2, primary))]),
    box("iloc", numbers(4, 0x01000000), numbers(2, 0x4400, items.length), ...located),
    box("iinf", numbers(4, 0), numbers(2, items.length), ...told),
    ...(referring.length > 0 ? [box("iref", numbers(4, 0), ...referring)] : []),
    propertiesOf(items),
  );
};

const essentials = ["av1C", "hvcC", "irot", "imir", "clap"];

const propertiesOf = (items: readonly HeifItem[]): Buffer => {
  let last = 0;
  const associated = items.map(({ id, properties }) => {
    const indexes = properties.map((property) => {
      const isEssential = essentials.includes(property.toString("latin1", 4, 8));
      return ++last | (isEssential ? 0x80 : 0);
    });
    return Buffer.concat([numbers(2, id), numbers(1, indexes.length, ...indexes)]);
  });
  return box(
    "iprp",
    box("ipco", ...items.flatMap(({ properties }) => properties)),
    box("ipma", numbers(4, 0, items.length), ...associated),
  );
};
