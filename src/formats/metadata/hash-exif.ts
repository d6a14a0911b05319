import { isTooLong } from "./exif.ts";
import { gpsNames, photoNames, pointerTags, type TagNames, tiffNames } from "./exif-names.ts";
import type { Findings } from "./findings.ts";
import {
  fieldBytes,
  pointerOf,
  readDirectory,
  type TiffDirectory,
  type TiffField,
  type TiffLayout,
  valueSizes,
} from "./tiff-structure.ts";
import { fieldValue } from "./tiff-values.ts";

/** An Exif directory in the form of Cantaloupe's delegates. */
export interface ExifHash {
  readonly tagSet: "Baseline TIFF" | "EXIF" | "GPS" | "Interoperability";
  /**
   * First values by name: texts, numbers, rationals as objects, bytes of unknown meaning, and
   * further directories.
   */
  readonly fields: Readonly<Record<string, ExifHashValue>>;
}

type ExifHashValue =
  | string
  | number
  | Uint8Array
  | { readonly numerator: number; readonly denominator: number }
  | ExifHash;

/**
 * The fields of a first directory and those it leads to, by Cantaloupe's names; other tags are
 * omitted.
 */
export const exifHash = (
  layout: TiffLayout,
  directory: TiffDirectory,
  findings: Findings,
): Promise<ExifHash> => hashOf(layout, directory, "Baseline TIFF", findings);

const hashOf = async (
  layout: TiffLayout,
  directory: TiffDirectory,
  tagSet: ExifHash["tagSet"],
  findings: Findings,
): Promise<ExifHash> => {
  const fields = new Map<string, ExifHashValue>();
  const { names, further } = tagSets[tagSet];
  for (const field of directory.fields) {
    const lead = further?.find(({ tag }) => tag === field.tag);
    const name = lead?.name ?? names[field.tag];
    if (name === undefined || fields.has(name)) continue;
    const value = lead
      ? await behind(layout, { directory, lead, findings })
      : await firstValue(layout, field, findings);
    if (value !== undefined) fields.set(name, value);
  }
  return { tagSet, fields: Object.fromEntries(fields) };
};

interface Lead {
  readonly tag: number;
  readonly name: string;
  readonly tagSet: ExifHash["tagSet"];
}

const behind = async (
  layout: TiffLayout,
  {
    directory,
    lead,
    findings,
  }: { readonly directory: TiffDirectory; readonly lead: Lead; readonly findings: Findings },
): Promise<ExifHash | undefined> => {
  const at = await pointerOf(layout, directory, lead.tag);
  const found = at === 0 ? undefined : await findings.attempt(() => readDirectory(layout, at));
  return found && hashOf(layout, found, lead.tagSet, findings);
};

/** The first value of a field; undefined where it is corrupt or too long. */
const firstValue = async (
  layout: TiffLayout,
  field: TiffField,
  findings: Findings,
): Promise<ExifHashValue | undefined> => {
  const { type } = field;
  const isWhole = type === ascii || type === unicode || type === undefinedBytes;
  const size = isWhole ? field.bytes : (valueSizes[type] ?? Number.NaN);
  if (Number.isNaN(size) || field.count < 1 || (isWhole && isTooLong(field))) return undefined;
  if (!findings.shown.take(size)) return undefined;
  const bytes = await fieldBytes(layout, { ...field, bytes: size });
  if (bytes === undefined) return undefined;
  if (type === undefinedBytes) return new Uint8Array(bytes);
  const one = { ...field, tag: noTag, count: isWhole ? field.count : 1 };
  const value = fieldValue(one, bytes, layout.littleEndian);
  const first: unknown = Array.isArray(value) && isWhole ? value[0] : value;
  if (Array.isArray(first)) return { numerator: Number(first[0]), denominator: Number(first[1]) };
  return typeof first === "string" || typeof first === "number" ? first : undefined;
};

const ascii = 2;
const undefinedBytes = 7;
const unicode = 129;
/** Bytes without a meaning of their own. */
const noTag = -1;

const named = (names: TagNames, tags: readonly number[]): TagNames =>
  Object.fromEntries(tags.map((tag) => [tag, names[tag] ?? ""]));

/** The tags that Cantaloupe knows, by its names. */
const tagSets: Readonly<
  Record<ExifHash["tagSet"], { readonly names: TagNames; readonly further?: readonly Lead[] }>
> = {
  "Baseline TIFF": {
    names: named(tiffNames, [
      ...[256, 257, 258, 259, 262, 270, 271, 272, 273, 274, 277, 278, 279, 282, 283, 284, 296],
      ...[301, 305, 306, 315, 318, 319, 513, 514, 529, 530, 531, 532, 33_432],
    ]),
    further: [
      { tag: pointerTags.exif, name: "EXIFIFD", tagSet: "EXIF" },
      { tag: pointerTags.gps, name: "GPSIFD", tagSet: "GPS" },
      {
        tag: pointerTags.interoperability,
        name: "InteroperabilityIFD",
        tagSet: "Interoperability",
      },
    ],
  },
  EXIF: {
    names: {
      ...named(
        photoNames,
        Object.keys(photoNames)
          .map(Number)
          // Those of Exif 2.3 and later that it does not know.
          .filter((tag) => tag <= 42_036 || tag === 42_240),
      ),
      [pointerTags.makerNote]: "MakerNote",
      37378: "Aperture",
      37379: "Brightness",
      37380: "ExposureBias",
    },
    further: [
      {
        tag: pointerTags.interoperability,
        name: "InteroperabilityIFD",
        tagSet: "Interoperability",
      },
    ],
  },
  GPS: { names: gpsNames },
  Interoperability: { names: { 1: "InteroperabilityIndex" } },
};
