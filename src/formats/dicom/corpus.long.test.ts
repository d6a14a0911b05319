import { describe, expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../test/corpus.ts";
import { dicomDecoder } from "../../../test/dicom-decoder.ts";
import { plan } from "../../../test/plans.ts";
import { fileReaderOf } from "../../../test/readers.ts";

const signal = new AbortController().signal;
const decoder = await dicomDecoder();

const files = corpusFiles("dicom");

const read = async (name: string, page = 0) => {
  const file = files.find(({ path }) => path === `dicom/${name}.dcm`);
  if (file === undefined) throw new Error(`Expected ${name} in the corpus`);
  const reader = await fileReaderOf(corpusPath(file));
  const info = await decoder.info(reader, signal);
  const { size } = info.pages[0];
  const window = { page, region: { x: 0, y: 0, ...size }, atLeast: size };
  const { image } = await decoder.read(reader, info, window, plan, signal);
  const { data } = await image.raw().toBuffer({ resolveWithObject: true });
  return { file, info, data };
};

describe.skipIf(!corpusIsHere)("DICOM files of the corpus", () => {
  test.each(files.map(({ path }) => path.slice(6, -4)))(
    "%s: every frame is a page",
    async (name) => {
      const { file, info, data } = await read(name);
      expect(info.pages.length).toBe(file.pages);
      // A uniform image would show nothing.
      expect(data.some((value) => value !== data[0])).toBe(true);
      if (info.pages.length > 1) {
        const last = await read(name, info.pages.length - 1);
        expect(last.data.length).toBe(data.length);
      }
    },
  );

  test("an image is the same in every lossless encoding, and nearly the same in lossy ones", async () => {
    const plain = (await read("ct-DeflatedExplicitVRLittleEndian")).data;
    for (const coding of [
      "JPEG2000LosslessOnly",
      "JPEGLSLossless",
      "JPEGProcess14SV1",
      "RLELossless",
    ])
      expect((await read(`ct-${coding}`)).data.equals(plain), coding).toBe(true);
    for (const coding of ["JPEG2000", "JPEGProcess2_4"]) {
      const { data } = await read(`ct-${coding}`);
      const apart = data.reduce((sum, value, at) => sum + Math.abs(value - (plain[at] ?? 0)), 0);
      expect(apart / data.length, coding).toBeLessThan(3);
    }
  });

  test("JPEG 2000 frames equal the uncompressed ones", async () => {
    for (const page of [0, 9])
      expect((await read("emri_small_jpeg_2k_lossless", page)).data).toEqual(
        (await read("emri_small", page)).data,
      );
  });
});

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
