import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../test/corpus.ts";
import { box, numbers } from "../../../test/jp2.ts";
import { heicOpener } from "./heic.ts";
import { checkWhole } from "./heif-boxes.ts";

const data = new Uint8Array(100);
const fileType = box("ftyp", new Uint8Array(8));
const long = Buffer.concat([numbers(4, 1), Buffer.from("mdat"), numbers(4, 0, 116), data]);

test("a HEIF file whose boxes end within it is complete", () => {
  for (const last of [
    box("mdat", data),
    long,
    Buffer.concat([numbers(4, 0), box("mdat", data).subarray(4)]),
  ])
    for (const behind of [0, 1, 7]) {
      const file = Buffer.concat([fileType, last, new Uint8Array(behind)]);
      expect(() => checkWhole(file)).not.toThrow();
    }
});

test("a HEIF file that ends within a box is truncated", () => {
  for (const last of [box("mdat", data), long]) {
    const file = Buffer.concat([fileType, last]);
    for (let length = fileType.length + 8; length < file.length; length++)
      expect(() => checkWhole(file.subarray(0, length))).toThrow("Truncated HEIC file");
  }
  expect(() => checkWhole(Buffer.concat([fileType, box("mdat", data)]).subarray(0, -3))).toThrow(
    "the last 3 bytes are missing",
  );
});

test.skipIf(!corpusIsHere)(
  "HEIC files of the corpus are complete, and refused when truncated",
  async () => {
    const open = heicOpener({
      decoded: 536_870_912,
      pixels: 1_000_000_000,
      ms: 60_000,
      memory: 2 ** 30,
    });
    for (const file of corpusFiles("heic")) {
      const bytes = await readFile(corpusPath(file));
      expect(() => checkWhole(bytes)).not.toThrow();
      for (const part of [0.3, 0.6, 0.9, 0.99])
        expect(() => open(bytes.subarray(0, Math.floor(bytes.length * part)))).toThrow(
          expect.objectContaining({ failure: "unreadable" }),
        );
    }
  },
);

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
