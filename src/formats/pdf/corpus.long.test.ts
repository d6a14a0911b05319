import { describe, expect, test } from "vitest";
import {
  type CorpusFile,
  corpusFiles,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../../../test/corpus.ts";
import { plan } from "../../../test/plans.ts";
import { fileReaderOf } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import type { Size } from "../../core/geometry.ts";
import { createCodecs } from "../index.ts";
import { Resources } from "../pool/resources.ts";
import { sniff } from "../sniff.ts";

const codecs = createCodecs(new Resources(new Config({ "processor.dpi": 72 })));
const signal = new AbortController().signal;

const opened = async (file: CorpusFile) => {
  const reader = await fileReaderOf(corpusPath(file));
  expect(await sniff(reader, signal)).toBe("pdf");
  const { decoder } = await codecs("pdf");
  if (decoder === undefined) throw new Error("Expected a decoder");
  const info = await decoder.info(reader, signal);
  const { size } = info.pages[0];
  const window = { page: 0, region: { x: 0, y: 0, ...size }, atLeast: size };
  return { info, size, read: () => decoder.read(reader, info, window, plan, signal) };
};

describe.skipIf(!corpusIsHere)("PDF documents of the corpus", () => {
  const files = corpusFiles("pdf");

  test.each(files.filter(({ expect: wanted }) => wanted === "ok").map((file) => [file.path, file]))(
    "%s",
    async (_, file) => {
      const { info, size, read } = await opened(file);
      if (file.pages !== undefined) expect(info.pages).toHaveLength(file.pages);
      const { image } = await read();
      const ours = gridOf(size, await image.raw().toBuffer());
      const theirs = (file.grid ?? []).flatMap((colour) => [...Buffer.from(colour, "hex")]);
      expect(ours).toHaveLength(theirs.length);
      const apart = ours.reduce((sum, value, at) => sum + Math.abs(value - (theirs[at] ?? 0)), 0);
      expect(apart / ours.length, "mean difference of the sixteen colours").toBeLessThan(6);
    },
  );

  test.each(
    files.filter(({ expect: wanted }) => wanted === "error").map((file) => [file.path, file]),
  )("%s is denied without a password", async (_, file) => {
    await expect(opened(file)).rejects.toMatchObject({ failure: "denied" });
  });
});

const passwords = {
  "pdf/password/issue6010_1.pdf": "abc",
  "pdf/password/libreoffice-writer-password.pdf": "openpassword",
  "pdf/password/pr6531_1.pdf": "asdfasdf",
};

test.skipIf(!corpusIsHere).each(Object.entries(passwords))(
  "%s opens with its password",
  async (path, password) => {
    const config = new Config({ "processor.pdf.password": password });
    const { decoder } = await createCodecs(new Resources(config))("pdf");
    const file = corpusFiles("pdf").find((one) => one.path === path);
    if (file === undefined) throw new Error("Expected a file");
    const info = await decoder?.info(await fileReaderOf(corpusPath(file)), signal);
    expect(info?.pages.length).toBeGreaterThan(0);
  },
);

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));

/** The mean colours of a 4 x 4 division. */
const gridOf = ({ width, height }: Size, data: Uint8Array): number[] => {
  const sums = Array.from({ length: 48 }, () => 0);
  const counts = Array.from({ length: 16 }, () => 0);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const cell = Math.floor((y * 4) / height) * 4 + Math.floor((x * 4) / width);
      counts[cell] = (counts[cell] ?? 0) + 1;
      for (let band = 0; band < 3; band++)
        sums[cell * 3 + band] =
          (sums[cell * 3 + band] ?? 0) + (data[(y * width + x) * 3 + band] ?? 0);
    }
  return sums.map((sum, at) => sum / Math.max(1, counts[Math.floor(at / 3)] ?? 1));
};
