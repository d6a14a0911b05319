import type { Metadata, Value } from "../server/wire.ts";

/** A section of a file's metadata. */
export interface MetadataGroup {
  readonly title: string;
  readonly rows: readonly MetadataRow[];
}

export interface MetadataRow {
  readonly name: string;
  readonly value: string;
}

/** A file's metadata as names and texts; empty sections are omitted. */
export const metadataGroups = ({
  exif,
  iptc,
  xmp,
  icc,
  native,
}: Metadata): readonly MetadataGroup[] => {
  const groups: readonly MetadataGroup[] = [
    group("Exif: image", exif?.image),
    group("Exif: photograph", exif?.photo),
    group("Exif: position", exif?.gps),
    group("Exif: interoperability", exif?.interoperability),
    group("Exif: thumbnail", exif?.thumbnail),
    group("IPTC", iptc),
    group("XMP", xmp?.properties),
    group("Colour profile", icc && { ...icc }),
    {
      title: "Of the format",
      rows: (native ?? []).map(({ name, value, bytes, count, language, directory }) => ({
        name: [name, language && `(${language})`, directory ? `in directory ${directory}` : ""]
          .filter(Boolean)
          .join(" "),
        value: value === undefined ? sizeText(bytes, count) : textOf(value),
      })),
    },
  ];
  return groups.filter(({ rows }) => rows.length > 0);
};

const group = (
  title: string,
  fields: Readonly<Record<string, Value>> | undefined,
): MetadataGroup => ({
  title,
  rows: Object.entries(fields ?? {}).map(([name, value]) => ({ name, value: textOf(value) })),
});

const sizeText = (bytes: number | undefined, count: number | undefined): string =>
  bytes === undefined ? `${count ?? 0} values` : `${bytes} bytes`;

/** A value on one line: lists with commas, structures with the names of their parts. */
export const textOf = (value: Value): string => {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (isList(value)) return value.map(textOf).join(", ");
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${textOf(part)}`)
    .join("; ");
};

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
