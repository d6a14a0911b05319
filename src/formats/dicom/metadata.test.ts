import { describe, expect, test } from "vitest";
import { type DicomElement, dicomFile, pixelElements } from "../../../test/dicom.ts";
import { memoryReader } from "../../../test/readers.ts";
import { readMetadata } from "../embedded-metadata.ts";
import type { Metadata } from "../metadata/values.ts";
import { dicomTags as tags } from "./tags.ts";

const signal = new AbortController().signal;
const metadataOf = (bytes: Uint8Array): Promise<Metadata> =>
  readMetadata(memoryReader(bytes), { format: "dicom" }, signal);

const fieldsIn = ({ native = [] }: Metadata): Readonly<Record<string, unknown>> =>
  Object.fromEntries(native.map(({ name, value }) => [name, value]));

const pixels = new Uint8Array(6 * 4 * 2);
const technical: DicomElement[] = [
  ...pixelElements({ width: 6, height: 4, bits: 12, signed: true }),
  [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.2"],
  [0x00080060, "CS", "CT"],
  [0x00080070, "LO", "Makers of things"],
  [0x00180015, "CS", "HEAD"],
  [0x00280030, "DS", "0.5\\0.25"],
  [tags.windowCenter, "DS", "40 "],
  [tags.windowWidth, "DS", "4e2"],
];

/** Of a patient, staff, the place, and the treatment. */
const personal: DicomElement[] = [
  [0x00080018, "UI", "1.2.999.1"],
  [0x00080020, "DA", "20010203"],
  [0x00080080, "LO", "A Hospital"],
  [0x00080090, "PN", "Doctor^Some"],
  [0x00081010, "SH", "Station"],
  [0x00081030, "LO", "A study of knees"],
  [0x00100010, "PN", "Secret^Person"],
  [0x00100020, "LO", "12345678"],
  [0x00100030, "DA", "19700101"],
  [0x00104000, "LT", "Remarks"],
  [0x0020000d, "UI", "1.2.999.2"],
];

const expected = {
  SOPClassUID: "1.2.840.10008.5.1.4.1.1.2",
  Modality: "CT",
  Manufacturer: "Makers of things",
  BodyPartExamined: "HEAD",
  SamplesPerPixel: 1,
  PhotometricInterpretation: "MONOCHROME2",
  Rows: 4,
  Columns: 6,
  PixelSpacing: [0.5, 0.25],
  BitsAllocated: 16,
  BitsStored: 12,
  PixelRepresentation: 1,
  WindowCenter: 40,
  WindowWidth: 400,
};

describe("metadata of a DICOM file", () => {
  test.each([
    ["explicit, little endian", ".1"],
    ["implicit", ""],
    ["explicit, big endian", ".2"],
    ["deflated", ".1.99"],
  ])("includes technical elements and nothing else: %s", async (_, syntax) => {
    const found = await metadataOf(
      dicomFile({ syntax, elements: [...technical, ...personal], pixels }),
    );
    expect(fieldsIn(found)).toEqual({
      TransferSyntaxUID: `1.2.840.10008.1.2${syntax}`,
      ...expected,
    });
    expect(found.problems).toEqual([]);
  });

  test("includes the profile, also that of an optical path", async () => {
    const profile = Buffer.alloc(132);
    profile.write("acsp", 36, "latin1");
    profile.writeUInt32BE(132, 0);
    const inPath = [tags.opticalPaths, "SQ", [[[tags.iccProfile, "OB", profile]]]] as const;
    const elements = pixelElements({ width: 6, height: 4, bits: 12 });
    for (const where of [[tags.iccProfile, "OB", profile] as const, inPath]) {
      const file = dicomFile({ elements: [...elements, where as DicomElement], pixels });
      expect((await metadataOf(file)).icc?.bytes).toBe(132);
    }
  });

  test("drops invalid numbers, and truncates texts to bounded ASCII", async () => {
    const odd: DicomElement[] = [
      [0x00080070, "LO", "\xe9".repeat(3) + "x".repeat(200)],
      [0x00280030, "DS", "1\\wide"],
      [tags.windowCenter, "DS", ""],
    ];
    const elements = [...pixelElements({ width: 6, height: 4, bits: 12 }), ...odd];
    const fields = fieldsIn(await metadataOf(dicomFile({ elements, pixels })));
    expect(fields["Manufacturer"]).toBe(`???${"x".repeat(61)}`);
    expect(fields).not.toHaveProperty("PixelSpacing");
    expect(fields).not.toHaveProperty("WindowCenter");
  });

  test("reports damage without throwing", async () => {
    const file = dicomFile({ elements: technical, pixels });
    for (const length of [60, 140, 170, 300, 330]) {
      const { problems } = await metadataOf(file.subarray(0, length));
      expect(problems.every((text) => /^(?:Expected|Truncated)/.test(text))).toBe(true);
    }
    const unknown = await metadataOf(dicomFile({ syntax: ".4.107", elements: technical, pixels }));
    expect(unknown.problems).toEqual([expect.stringContaining("transfer syntax")]);
  });
});
