import { boxOf, childIn, fullHead, head, type IsoBox, isoBoxesIn } from "../containers/index.ts";

/**
 * An AVIF whose items are not rotated or mirrored by properties (ISO/IEC 23008-12, 6.5.10 and
 * 6.5.12): libvips writes them for the source's orientation whatever metadata is dropped, and the
 * pixels are already upright. Their space becomes free, so that the items stay at their offsets.
 * Throws `internal` where the file is not built as encoders build it.
 */
export const setUprightAvif = (file: Buffer): Buffer => {
  const meta = childIn(isoBoxesIn(file, 0, "meta"), "meta");
  const children = isoBoxesIn(meta.bytes, fullHead);
  const properties = isoBoxesIn(childIn(children, "iprp").bytes, head);
  const { kept, indexes } = withoutTurns(isoBoxesIn(childIn(properties, "ipco").bytes, head));
  if (!indexes.includes(0)) return file;
  const rest = properties.map(({ type, bytes }) => {
    if (type === "ipco") return boxOf("ipco", kept);
    return type === "ipma" ? boxOf("ipma", [associations(bytes, indexes)]) : bytes;
  });
  const others = children.map(({ type, bytes }) => (type === "iprp" ? boxOf("iprp", rest) : bytes));
  const shorter = boxOf("meta", [meta.bytes.subarray(head, fullHead), ...others]);
  const free = boxOf("free", [Buffer.alloc(meta.bytes.length - shorter.length - head)]);
  const end = meta.at + meta.bytes.length;
  return Buffer.concat([file.subarray(0, meta.at), shorter, free, file.subarray(end)]);
};

/** The remaining properties, and the new number of each, counted from 1; 0 for removed ones. */
const withoutTurns = (
  properties: readonly IsoBox[],
): { readonly kept: readonly Buffer[]; readonly indexes: readonly number[] } => {
  const kept: Buffer[] = [];
  const indexes = properties.map(({ type, bytes }) =>
    type === "irot" || type === "imir" ? 0 : kept.push(bytes),
  );
  return { kept, indexes };
};

/** The content of a box of type `ipma` (ISO/IEC 23008-12, 9.3), with the new property numbers. */
const associations = (box: Buffer, indexes: readonly number[]): Buffer => {
  const version = box.readUInt8(head);
  const isWide = (box.readUInt8(fullHead - 1) & 1) === 1;
  const itemBytes = version === 0 ? 2 : 4;
  const step = isWide ? 2 : 1;
  // The highest bit says whether readers have to know the property.
  const largest = isWide ? 0x7fff : 0x7f;
  const parts: Buffer[] = [box.subarray(head, fullHead + 4)];
  let at = fullHead + 4;
  for (let left = box.readUInt32BE(fullHead); left > 0; left--) {
    const count = box.readUInt8(at + itemBytes);
    const from = at + itemBytes + 1;
    const stay: Buffer[] = [];
    for (let n = 0; n < count; n++) {
      const value = box.readUIntBE(from + n * step, step);
      const index = indexes[(value & largest) - 1] ?? 0;
      if (index === 0) continue;
      const entry = Buffer.alloc(step);
      entry.writeUIntBE((value & ~largest) | index, 0, step);
      stay.push(entry);
    }
    parts.push(box.subarray(at, at + itemBytes), Buffer.of(stay.length), ...stay);
    at = from + count * step;
  }
  return Buffer.concat(parts);
};
