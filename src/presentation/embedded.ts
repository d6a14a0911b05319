import type { MetadataHash } from "../formats/metadata/index.ts";
import { rightsUri } from "./rights.ts";
import { english, type LanguageMap, plainText, unspecified } from "./texts.ts";
import type { Description, LabelledValue } from "./views.ts";

/** Maximum number of values of one property. */
const maxValues = 20;

/**
 * The description in an image's embedded metadata: XMP first, then IPTC, Exif and the format's own.
 * Values are plain text of at most 2,000 characters, at most 20 per property.
 */
export const embeddedDescription = (hash: MetadataHash): Description => {
  const first = (...sources: readonly string[]): LanguageMap | undefined => {
    const [text] = textsOf(hash, sources);
    return text === undefined ? undefined : unspecified(text);
  };
  const label = first("dc:title", "iptc ObjectName", "native Title", "iptc Headline");
  const summary = first("dc:description", "exif ImageDescription", "native Description");
  const metadata = properties.flatMap(([name, ...sources]): LabelledValue[] => {
    const texts = textsOf(hash, sources);
    return texts.length === 0 ? [] : [{ label: english(name), value: unspecified(...texts) }];
  });
  const rights = licences
    .flatMap((source) => textsOf(hash, [source]))
    .map(rightsUri)
    .find((uri) => uri !== undefined);
  const statements = textsOf(hash, statementSources).filter(
    (text) => rightsUri(text) === undefined,
  );
  return {
    ...(label ? { label } : {}),
    ...(summary ? { summary } : {}),
    ...(metadata.length > 0 ? { metadata } : {}),
    ...(rights ? { rights } : {}),
    ...(statements.length > 0
      ? { requiredStatement: { label: english("Rights"), value: unspecified(...statements) } }
      : {}),
  };
};

/** Labels in manifests and the sources of their values, the preferred source first. */
const properties: readonly (readonly [string, ...string[]])[] = [
  ["Creator", "dc:creator", "iptc ByLine", "exif Artist", "native Author"],
  ["Contributor", "dc:contributor"],
  [
    "Date",
    ...["dc:date", "photoshop:DateCreated", "iptc DateCreated", "exif DateTimeOriginal"],
    ...["xmp:CreateDate", "exif DateTime"],
  ],
  ["Publisher", "dc:publisher"],
  ["Subject", "dc:subject", "iptc Keywords", "native Keywords"],
  ["Type", "dc:type"],
  ["Language", "dc:language", "iptc LanguageIdentifier"],
  ["Identifier", "dc:identifier"],
  ["City", "photoshop:City", "iptc City"],
  ["Country", "photoshop:Country"],
  ["Source", "photoshop:Source", "dc:source", "iptc Source"],
  ["Credit", "photoshop:Credit", "iptc Credit"],
];

const licences = [
  "http://creativecommons.org/ns#license",
  "dcterms:license",
  "xmpRights:WebStatement",
  "dc:rights",
  "dcterms:rights",
  "iptc CopyrightNotice",
  "exif Copyright",
];

const statementSources = [
  "dc:rights",
  "iptc CopyrightNotice",
  "exif Copyright",
  "native Copyright",
];

/** The texts of the first source that has any, without duplicates. */
const textsOf = (hash: MetadataHash, sources: readonly string[]): readonly string[] => {
  for (const source of sources) {
    const texts = valuesOf(hash, source)
      .filter((value) => typeof value === "string" || typeof value === "number")
      .flatMap((value) => plainText(String(value)) ?? []);
    if (texts.length > 0) return [...new Set(texts)].slice(0, maxValues);
  }
  return [];
};

const valuesOf = (hash: MetadataHash, source: string): readonly unknown[] => {
  const [kind = "", name = ""] = source.split(" ");
  switch (kind) {
    case "iptc":
      return (hash.iptc ?? []).flatMap((dataset) => ownValue(dataset, name));
    case "exif":
      return exifValues(hash, name);
    case "native":
      return ownValue(hash.native, name);
    default:
      return ownValue(hash.xmp_elements, kind);
  }
};

const exifValues = ({ exif }: MetadataHash, name: string): readonly unknown[] => {
  const further = exif?.fields["EXIFIFD"];
  const photo =
    typeof further === "object" && "fields" in further ? ownValue(further.fields, name) : [];
  return [...ownValue(exif?.fields, name), ...photo];
};

/** The values of a key that a record itself has, whatever it is called. */
const ownValue = (
  record: Readonly<Record<string, unknown>> | undefined,
  name: string,
): readonly unknown[] =>
  record !== undefined && Object.hasOwn(record, name) ? [record[name]].flat() : [];
