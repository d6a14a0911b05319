import type { NativeField, Scan } from "../metadata/index.ts";
import { Attributes } from "./attributes.ts";
import { readElements } from "./opened.ts";
import { dicomTags as tags } from "./tags.ts";

/** Maximum bytes of an inflated file. */
const maxInflated = 33_554_432;

/**
 * Maximum length of DICOM texts in characters (PS3.5, table 6.2-1, LO); longer ones are truncated.
 */
const longestText = 64;
const maxNumbers = 16;

type DicomValueKind = "text" | "whole" | "decimals";

/**
 * The reported attributes of a DICOM file, by keyword (PS3.6): its pixel format and equipment.
 * Nothing about people, times and places: no names, numbers, dates, identifiers or remarks.
 */
const told: readonly (readonly [tag: number, name: string, kind: DicomValueKind])[] = [
  [0x00080016, "SOPClassUID", "text"],
  [0x00080060, "Modality", "text"],
  [0x00080070, "Manufacturer", "text"],
  [0x00180015, "BodyPartExamined", "text"],
  [0x00180050, "SliceThickness", "decimals"],
  [0x00181164, "ImagerPixelSpacing", "decimals"],
  [tags.samples, "SamplesPerPixel", "whole"],
  [tags.photometric, "PhotometricInterpretation", "text"],
  [tags.frames, "NumberOfFrames", "decimals"],
  [tags.rows, "Rows", "whole"],
  [tags.columns, "Columns", "whole"],
  [0x00280030, "PixelSpacing", "decimals"],
  [tags.bitsAllocated, "BitsAllocated", "whole"],
  [tags.bitsStored, "BitsStored", "whole"],
  [tags.signed, "PixelRepresentation", "whole"],
  [tags.windowCenter, "WindowCenter", "decimals"],
  [tags.windowWidth, "WindowWidth", "decimals"],
  [tags.rescaleIntercept, "RescaleIntercept", "decimals"],
  [tags.rescaleSlope, "RescaleSlope", "decimals"],
  [tags.matrixColumns, "TotalPixelMatrixColumns", "whole"],
  [tags.matrixRows, "TotalPixelMatrixRows", "whole"],
];

const wanted = {
  values: new Set<number>([...told.map(([tag]) => tag), tags.iccProfile]),
  sequences: new Set<number>([tags.opticalPaths]),
};

/** Reads the technical attributes of a DICOM file, and its profile. */
export const scanDicom = async ({ reader, signal, findings }: Scan): Promise<void> => {
  const { data, syntax, syntaxName } = await readElements(reader, {
    wanted,
    max: maxInflated,
    signal,
  });
  if (syntaxName !== undefined)
    findings.addField({ name: "TransferSyntaxUID", value: shortened(syntaxName) });
  const attributes = new Attributes(data.values, syntax.littleEndian);
  for (const [tag, name, kind] of told) {
    const value = valueFor(attributes, tag, kind);
    if (value !== undefined) findings.addField({ name, value });
  }
  const profile =
    attributes.bytes(tags.iccProfile) ??
    attributes.item(tags.opticalPaths, 0).bytes(tags.iccProfile);
  if (profile !== undefined) findings.addBlock("icc", profile);
};

const valueFor = (
  attributes: Attributes,
  tag: number,
  kind: DicomValueKind,
): NativeField["value"] => {
  if (kind === "whole") return attributes.whole(tag);
  const text = attributes.text(tag);
  if (text === undefined || text === "") return undefined;
  return kind === "text" ? shortened(text) : decimals(text);
};

/** Characters beyond ASCII: their character set is not decoded. */
const shortened = (text: string): string =>
  text.slice(0, longestText).replace(/[^\x20-\x7e]/g, "?");

/** A number alone, or a list of several; undefined where any is invalid. */
const decimals = (text: string): number | readonly number[] | undefined => {
  const numbers = text
    .split("\\", maxNumbers)
    .map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (!numbers.every(Number.isFinite)) return undefined;
  return numbers.length === 1 ? numbers[0] : numbers;
};
