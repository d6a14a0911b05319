import { fail } from "../../../core/errors.ts";
import type { Steps } from "../../../core/steps.ts";
import type { AssembledField } from "./assembly.ts";
import type { CachedParts } from "./cached-parts.ts";
import { type DirectoryEntry, readBytes, readNumbers, type TiffFile } from "./directory.ts";
import type { StoredLevel } from "./pages.ts";
import { tags } from "./tags.ts";

const largestField = 16_777_216;

/** Fields that a cut copies unchanged: all that decoding a tile depends on. */
const carried = [
  tags.bitsPerSample,
  tags.photometric,
  tags.fillOrder,
  tags.samplesPerPixel,
  tags.planarConfiguration,
  tags.t4Options,
  tags.t6Options,
  tags.predictor,
  tags.colorMap,
  tags.inkSet,
  tags.extraSamples,
  tags.sampleFormat,
  tags.jpegTables,
  tags.yCbCrCoefficients,
  tags.yCbCrSubSampling,
  tags.yCbCrPositioning,
  tags.referenceBlackWhite,
  tags.iccProfile,
] as const;

/** The fields a cut needs; types that only BigTIFF has are narrowed. */
export function* carriedFields(
  file: TiffFile,
  level: StoredLevel,
): Steps<readonly AssembledField[]> {
  const { kept } = file;
  const before = kept?.fields.get(fieldsKey(kept, level));
  if (before !== undefined) return before;
  const fields: AssembledField[] = [];
  for (const tag of carried) {
    const entry = level.directory.entries.get(tag);
    if (entry !== undefined) fields.push(yield* carriedField(file, entry));
  }
  if (kept === undefined) return fields;
  // Copied out of the blocks they were read with, which would be retained otherwise.
  const own = fields.map((field) => ({ ...field, bytes: field.bytes.slice() }));
  const bytes = own.reduce((sum, field) => sum + field.bytes.length + fieldBytes, 0);
  kept.fields.set(fieldsKey(kept, level), own, bytes);
  return own;
}

const fieldsKey = ({ id }: CachedParts, { directory }: StoredLevel): string =>
  `${id}/${directory.at}`;

/** One number as a field of type SHORT. */
export const shortField = (
  file: TiffFile,
  tag: number,
  ...values: readonly number[]
): AssembledField => {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries())
    view.setUint16(index * 2, value, file.bytes.littleEndian);
  return { tag, type: 3, count: values.length, bytes };
};

const fieldBytes = 128;

function* carriedField(file: TiffFile, entry: DirectoryEntry): Steps<AssembledField> {
  const bytes = yield* readBytes(file, entry, largestField);
  if (bytes === undefined)
    return fail("unreadable", `Field ${entry.tag} of the TIFF is too large.`);
  if (entry.type > 13) {
    const values = yield* readNumbers(file, entry);
    return shortField(file, entry.tag, ...values);
  }
  return { tag: entry.tag, type: entry.type, count: entry.count, bytes };
}
