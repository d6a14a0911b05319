import sharp from "sharp";
import { expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { codestreamBytes, opened } from "../../../test/codestreams.ts";
import {
  type DicomElement,
  dicomFile,
  extendedJpeg,
  jpegLs,
  losslessJpeg,
  pixelElements,
  runLengths,
  us,
} from "../../../test/dicom.ts";
import { dicomDecoder } from "../../../test/dicom-decoder.ts";
import { useDamaged } from "../../../test/mutating.ts";
import { dicomTags as tags } from "./tags.ts";

const count = amount(5_000);
/** A job that took longer would fail as `late`, which is not an allowed outcome here. */
const decoder = await dicomDecoder(5_000);

const noise = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 3)) & 255);
const size = { width: 24, height: 16 };
const area = 24 * 16;
const deep = new Uint16Array(noise(area * 2).buffer);

const window: DicomElement[] = [
  [tags.windowCenter, "DS", "2000"],
  [tags.windowWidth, "DS", "3000"],
];
const table: DicomElement[] = [
  [tags.tableDescriptor, "US", us(256, 0, 8)],
  [tags.tableData, "OW", noise(512)],
];
const frameWindows = (frames: number): DicomElement =>
  [
    tags.frameGroups,
    "SQ",
    Array.from({ length: frames }, () => [[tags.frameWindow, "SQ", [window]]]),
  ] as never;

const coded = (
  syntax: string,
  bits: number,
  fragments: readonly Uint8Array[],
  samples = 1,
): Buffer =>
  dicomFile({
    syntax,
    elements: [...pixelElements({ ...size, bits, samples, frames: fragments.length }), ...window],
    pixels: { fragments },
  });

const originals = async (): Promise<readonly Uint8Array[]> => {
  const planes = [noise(area), noise(area)];
  const rle = runLengths(planes);
  const j2k = codestreamBytes("pcrl-16-bits");
  const { image, components } = (await opened(j2k)).codestream.header;
  const jpeg = await sharp(noise(area * 3), { raw: { ...size, channels: 3 } })
    .jpeg()
    .toBuffer();
  const means = [0, 100, 2_048, 4_095, 17, 4_000];
  return [
    dicomFile({
      elements: [...pixelElements({ ...size, bits: 12, frames: 2 }), frameWindows(2)],
      pixels: noise(area * 4),
    }),
    dicomFile({
      syntax: "",
      elements: [
        ...pixelElements({ ...size, photometric: "MONOCHROME1" }),
        [tags.modalityTables, "SQ", [table]] as never,
        [tags.windowTables, "SQ", [table]] as never,
      ],
      pixels: noise(area),
    }),
    dicomFile({
      syntax: ".1.99",
      elements: pixelElements({ ...size, samples: 3 }),
      pixels: noise(area * 3),
    }),
    dicomFile({
      elements: [
        ...pixelElements({ ...size, photometric: "PALETTE COLOR" }),
        ...[tags.redDescriptor, tags.greenDescriptor, tags.blueDescriptor].map(
          (tag) => [tag, "US", us(256, 0, 16)] as const,
        ),
        [tags.redPalette, "OW", noise(512)],
        [tags.greenPalette, "OW", noise(512)],
        [tags.blueSegments, "OW", us(0, 2, 7, 8, 1, 253, 9, 2, 1, 0, 0)],
      ],
      pixels: noise(area),
    }),
    dicomFile({
      syntax: ".5",
      elements: [...pixelElements({ ...size, bits: 16, frames: 2 }), ...window],
      pixels: { fragments: [rle, rle], offsets: [0, rle.length + 8] },
    }),
    coded(".4.70", 16, [losslessJpeg(deep, { width: 24, precision: 16 })]),
    coded(".4.51", 12, [extendedJpeg(means, { columns: 3, restart: 2 })]),
    coded(".4.80", 16, [await jpegLs(deep, { ...size, components: 1, bits: 16 })]),
    coded(".4.50", 8, [jpeg, jpeg], 3),
    dicomFile({
      syntax: ".4.90",
      elements: [
        ...pixelElements({
          width: image.width,
          height: image.height,
          bits: 16,
          samples: components.length,
        }),
        ...window,
      ],
      pixels: { fragments: [j2k] },
    }),
  ];
};

test(`${count} damaged DICOM files are read or refused, never beyond their end`, {
  timeout: 300_000,
}, async () => {
  const outcomes = await useDamaged(decoder, await originals(), { count, seed: 1_993 });
  // Otherwise the damage would be too much or too little to show anything.
  expect(outcomes.read).toBeGreaterThan(count / 10);
  expect(outcomes.refused).toBeGreaterThan(count / 10);
});
