import {
  gpsNames,
  imageNames,
  interoperabilityNames,
  isPointer,
  photoNames,
  pointerTags,
  type TagNames,
  tiffNames,
} from "./exif-names.ts";
import { type Findings, longestText } from "./findings.ts";
import {
  fieldBytes,
  openExif,
  pointerOf,
  readDirectory,
  type TiffDirectory,
  type TiffField,
  type TiffLayout,
} from "./tiff-structure.ts";
import { fieldValue } from "./tiff-values.ts";
import { type Exif, type Fields, fieldsOf, type Value } from "./values.ts";

/** Maximum bytes of a shown field of numbers or bytes. */
export const longestField = 65_536;

/**
 * Parses an Exif block: a TIFF without an image. Throws `unreadable` where it is none.
 *
 * Not by `exifreader`, which has no limits: on a block of 2 MB whose 4,000 entries reference the
 * same bytes it blocked the event loop for 1.6 to 3.3 seconds; this takes 6 to 45 ms and reports
 * what it skips. It also reads whole files only, and rejects the blocks of some WebP files.
 */
export const readExif = async (block: Buffer, findings: Findings): Promise<Exif> => {
  const layout = await openExif(block);
  const directory = await readDirectory(layout, layout.first);
  const names = { ...tiffNames, ...photoNames };
  const image = await namedFields(layout, { directory, names, findings });
  const thumbnail = await fieldsAt(layout, { at: directory.next, names, findings });
  return {
    ...(image && { image }),
    ...(await exifBehind(layout, directory, findings)),
    ...(thumbnail && { thumbnail }),
  };
};

/**
 * The Exif of a TIFF file's first directory and those it leads to; undefined where there is none.
 */
export const exifOfTiff = async (
  layout: TiffLayout,
  directory: TiffDirectory,
  findings: Findings,
): Promise<Exif | undefined> => {
  const fields = directory.fields.filter(({ tag }) => imageNames[tag] !== undefined);
  const image = await namedFields(layout, {
    directory: { ...directory, fields },
    names: imageNames,
    findings,
  });
  const exif = { ...(image && { image }), ...(await exifBehind(layout, directory, findings)) };
  return Object.keys(exif).length === 0 ? undefined : exif;
};

/** The directories that a first one leads to. */
const exifBehind = async (
  layout: TiffLayout,
  directory: TiffDirectory,
  findings: Findings,
): Promise<Exif> => {
  const at = await pointerOf(layout, directory, pointerTags.exif);
  const photo = at === 0 ? undefined : await findings.attempt(() => readDirectory(layout, at));
  const gpsAt = await pointerOf(layout, directory, pointerTags.gps);
  const interoperabilityAt = photo
    ? await pointerOf(layout, photo, pointerTags.interoperability)
    : 0;
  const note = photo?.fields.find(({ tag }) => tag === pointerTags.makerNote);
  const photoFields =
    photo && (await namedFields(layout, { directory: photo, names: photoNames, findings }));
  const gps = await fieldsAt(layout, { at: gpsAt, names: gpsNames, findings });
  const interoperability = await fieldsAt(layout, {
    at: interoperabilityAt,
    names: interoperabilityNames,
    findings,
  });
  return {
    ...(photoFields && { photo: photoFields }),
    ...(gps && { gps }),
    ...(interoperability && { interoperability }),
    ...(note && Number.isFinite(note.bytes) && { makerNoteBytes: note.bytes }),
  };
};

const fieldsAt = async (
  layout: TiffLayout,
  {
    at,
    names,
    findings,
  }: { readonly at: number; readonly names: TagNames; readonly findings: Findings },
): Promise<Fields | undefined> => {
  if (at === 0) return undefined;
  const directory = await findings.attempt(() => readDirectory(layout, at));
  return directory && namedFields(layout, { directory, names, findings });
};

const namedFields = async (
  layout: TiffLayout,
  {
    directory,
    names,
    findings,
  }: {
    readonly directory: TiffDirectory;
    readonly names: TagNames;
    readonly findings: Findings;
  },
): Promise<Fields | undefined> => {
  const entries: [string, Value][] = [];
  for (const field of directory.fields) {
    if (isPointer(field.tag)) continue;
    const name = resolveName(names, field.tag);
    const value = await shownValue(layout, field, name, findings);
    if (value !== undefined) entries.push([name, value]);
  }
  return fieldsOf(entries);
};

/** By the tables, or else by its number. */
export const resolveName = (names: TagNames, tag: number): string => names[tag] ?? `Tag${tag}`;

/** Whether a field exceeds the shown maximum. */
export const isTooLong = ({ type, bytes }: TiffField): boolean =>
  bytes > (type === 2 || type === 129 ? longestText : longestField);

/** The value of a field; undefined, with a problem, where it is corrupt or too long. */
export const shownValue = async (
  layout: TiffLayout,
  field: TiffField,
  name: string,
  findings: Findings,
): Promise<Value | undefined> => {
  if (Number.isNaN(field.bytes)) findings.problem(`Unknown field type ${field.type} for ${name}.`);
  else if (isTooLong(field))
    findings.problem(`The field ${name} is too large (${field.bytes} bytes) and is skipped.`);
  else if (!findings.shown.take(field.bytes))
    findings.problem("There are too many bytes of fields; some are skipped.");
  else {
    const bytes = await fieldBytes(layout, field);
    if (bytes !== undefined) return fieldValue(field, bytes, layout.littleEndian);
    findings.problem(`The ${field.bytes} bytes of ${name} lie outside the file.`);
  }
  return undefined;
};
