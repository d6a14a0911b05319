import { fail } from "../../../core/errors.ts";
import { boxOf, childIn, fullHead, head, type IsoBox, isoBoxesIn } from "../../containers/index.ts";
import type { Embed } from "./blocks.ts";
import { exifBlock } from "./exif.ts";
import { xmpPacket } from "./packet.ts";

/** An item to add to a file. */
interface EmbeddedItem {
  readonly type: string;
  readonly contentType?: string;
  readonly content: Uint8Array;
}

/** Appends items that describe the primary one to an AVIF (ISO/IEC 23008-12, 9 and annex A). */
export const embedInAvif: Embed = (picture, { exif, xmp }) => {
  const block = exif && exifBlock(exif);
  const items: readonly EmbeddedItem[] = [
    // A block is preceded by the distance to its content.
    ...(block ? [{ type: "Exif", content: Buffer.concat([Buffer.alloc(4), block]) }] : []),
    ...(xmp === undefined
      ? []
      : [{ type: "mime", contentType: "application/rdf+xml", content: xmpPacket(xmp) }]),
  ];
  if (items.length === 0) return picture;
  const file = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  const meta = childIn(isoBoxesIn(file, 0, "meta"), "meta");
  const end = meta.at + meta.bytes.length;
  const grown = metaWith(meta, items, { by: 0, contentAt: 0 }).length - meta.bytes.length;
  const contentAt = file.length + grown + head;
  return Buffer.concat([
    file.subarray(0, meta.at),
    metaWith(meta, items, { by: grown, contentAt }),
    file.subarray(end),
    boxOf(
      "mdat",
      items.map(({ content }) => content),
    ),
  ]);
};

/** How far existing data moves, and the position of the first new item; in bytes. */
interface ItemShift {
  readonly by: number;
  readonly contentAt: number;
}

/** The box that lists the items, extended; its length does not depend on their positions. */
const metaWith = (meta: IsoBox, items: readonly EmbeddedItem[], places: ItemShift): Buffer => {
  const children = isoBoxesIn(meta.bytes, fullHead);
  const { bytes: primary } = childIn(children, "pitm");
  const about = primary.readUIntBE(fullHead, primary.readUInt8(head) === 0 ? 2 : 4);
  const { bytes: infos } = childIn(children, "iinf");
  const firstId = maxId(infos) + 1;
  const rewritten: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    iinf: (bytes) => infosWith(bytes, items, firstId),
    iloc: (bytes) => locationsWith(bytes, items, { ...places, firstId }),
    iref: (bytes) =>
      boxOf("iref", [withShortNumbers(bytes).subarray(head), ...references(items, firstId, about)]),
  };
  const parts = children.map(({ type, bytes }) => rewritten[type]?.(bytes) ?? bytes);
  if (children.every(({ type }) => type !== "iref"))
    parts.push(boxOf("iref", [Buffer.alloc(4), ...references(items, firstId, about)]));
  return boxOf("meta", [meta.bytes.subarray(head, fullHead), ...parts]);
};

/** Bytes of a box's entry count, by its version. */
const countBytes = (version: number): number => (version === 0 ? 2 : 4);

/** The highest item id in a box of type `iinf` (ISO/IEC 14496-12, 8.11.6). */
const maxId = (infos: Buffer): number => {
  const entries = isoBoxesIn(infos, fullHead + countBytes(infos.readUInt8(head)));
  return entries.reduce(
    (max, { bytes }) =>
      Math.max(max, bytes.readUIntBE(fullHead, bytes.readUInt8(head) === 2 ? 2 : 4)),
    0,
  );
};

const infosWith = (bytes: Buffer, items: readonly EmbeddedItem[], firstId: number): Buffer => {
  const size = countBytes(bytes.readUInt8(head));
  const count = Buffer.alloc(size);
  count.writeUIntBE(bytes.readUIntBE(fullHead, size) + items.length, 0, size);
  const added = items.map(({ type, contentType }, index) => {
    const entry = Buffer.alloc(12);
    // Version 2, and hidden: it is not an image to be shown.
    entry.set([2, 0, 0, 1]);
    entry.writeUInt16BE(firstId + index, 4);
    entry.write(type, 8, "latin1");
    const texts = contentType === undefined ? "\0" : `\0${contentType}\0`;
    return boxOf("infe", [entry, Buffer.from(texts, "latin1")]);
  });
  return boxOf("iinf", [
    bytes.subarray(head, fullHead),
    count,
    bytes.subarray(fullHead + size),
    ...added,
  ]);
};

/** A box of type `iref` with 16-bit item ids, as encoders write. */
const withShortNumbers = (references: Buffer): Buffer =>
  references.readUInt8(head) === 0
    ? references
    : fail("internal", "Expected the encoder to write an AVIF with 16-bit item numbers.");

/** A box of type `cdsc` for each item, with 16-bit ids (ISO/IEC 14496-12, 8.11.12). */
const references = (
  items: readonly EmbeddedItem[],
  firstId: number,
  about: number,
): readonly Buffer[] =>
  items.map((_, index) => {
    const entry = Buffer.alloc(6);
    entry.writeUInt16BE(firstId + index);
    entry.writeUInt16BE(1, 2);
    entry.writeUInt16BE(about, 4);
    return boxOf("cdsc", [entry]);
  });

/**
 * The box of type `iloc` (ISO/IEC 14496-12, 8.11.3), its file offsets shifted, with those of the
 * new items.
 */
const locationsWith = (
  box: Buffer,
  items: readonly EmbeddedItem[],
  { by, contentAt, firstId }: ItemShift & { readonly firstId: number },
): Buffer => {
  const bytes = Buffer.from(box);
  const version = bytes.readUInt8(head);
  const sizes = bytes.readUInt16BE(fullHead);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  if (offsetSize < 4 || lengthSize < 4 || version > 2)
    fail("internal", "Expected the encoder to write an AVIF with file offsets for its items.");
  const idSize = version < 2 ? 2 : 4;
  const countAt = fullHead + 2;
  const count = bytes.readUIntBE(countAt, idSize);
  bytes.writeUIntBE(count + items.length, countAt, idSize);
  let at = countAt + idSize;
  for (let item = 0; item < count; item++) {
    at += idSize;
    const isInFile = version === 0 || (bytes.readUInt16BE(at) & 15) === 0;
    at += (version === 0 ? 0 : 2) + 2 + baseSize;
    const extents = bytes.readUInt16BE(at);
    at += 2;
    for (let extent = 0; extent < extents; extent++) {
      at += indexSize;
      if (isInFile) addTo(bytes, at, offsetSize, by);
      at += offsetSize + lengthSize;
    }
  }
  let contentEnd = contentAt;
  const added = items.map(({ content }, index) => {
    const fixed = idSize + (version === 0 ? 0 : 2) + 2 + baseSize + 2;
    const entry = Buffer.alloc(fixed + indexSize + offsetSize + lengthSize);
    entry.writeUIntBE(firstId + index, 0, idSize);
    entry.writeUInt16BE(1, fixed - 2);
    addTo(entry, fixed + indexSize, offsetSize, contentEnd);
    addTo(entry, fixed + indexSize + offsetSize, lengthSize, content.length);
    contentEnd += content.length;
    return entry;
  });
  return boxOf("iloc", [bytes.subarray(head), ...added]);
};

/** Adds to a number of 4 or 8 bytes. */
const addTo = (bytes: Buffer, at: number, size: number, more: number): void => {
  // The higher half is 0: files in memory are not that long.
  const low = at + size - 4;
  bytes.writeUInt32BE(bytes.readUInt32BE(low) + more, low);
};
