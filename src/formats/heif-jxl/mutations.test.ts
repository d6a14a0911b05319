import { readFile } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../test/corpus.ts";
import { box } from "../../../test/jp2.ts";
import { useDamaged } from "../../../test/mutating.ts";
import { Config } from "../../config/store.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createHeifJxlDecoder } from "./decoder.ts";
import { createHeifJxlThreads, heifJxlThreadLimits } from "./threads.ts";

const count = amount(1_000);
const settings = new Config({ "processor.timeout": 0 }).view(decodingKeys);
const threads = createHeifJxlThreads(() => heifJxlThreadLimits(settings(), { threads: 1 }));
afterAll(() => threads.close());

const stored = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../../test/tiles/${name}`, import.meta.url));

test(`${count} damaged JPEG XL files are read or refused`, { timeout: 300_000 }, async () => {
  const bare = await Promise.all(["rgb8.jxl", "masked16.jxl", "light32.jxl"].map(stored));
  const [first = Buffer.alloc(0)] = bare;
  const half = first.length >> 1;
  const boxed = [
    box("JXL ", Buffer.from("0d0a870a", "hex")),
    box("ftyp", Buffer.from("jxl \0\0\0\0jxl ", "latin1")),
    box("jxlp", Buffer.alloc(4), first.subarray(0, half)),
    box("jxlp", Buffer.from("80000001", "hex"), first.subarray(half)),
  ];
  const decoder = createHeifJxlDecoder("jxl", settings, threads);
  const outcomes = await useDamaged(decoder, [...bare, Buffer.concat(boxed)], {
    count,
    seed: 2_003,
  });
  // Otherwise the damage would be too much or too little to show anything.
  expect(outcomes.read).toBeGreaterThan(count / 20);
  expect(outcomes.refused).toBeGreaterThan(count / 10);
});

test.skipIf(!corpusIsHere)(
  `${count} damaged HEIC files are read or refused`,
  { timeout: 300_000 },
  async () => {
    const names = ["RGB_8_chroma444.heif", "RGB_10__29x100.heif", "LA_8__128x128.heif"];
    const files = corpusFiles("heic").filter(({ path }) =>
      names.some((name) => path.endsWith(name)),
    );
    const originals = await Promise.all(files.map((file) => readFile(corpusPath(file))));
    expect(originals).toHaveLength(names.length);
    const decoder = createHeifJxlDecoder("heic", settings, threads);
    const outcomes = await useDamaged(decoder, originals, { count, seed: 2_011 });
    expect(outcomes.read).toBeGreaterThan(count / 20);
    expect(outcomes.refused).toBeGreaterThan(count / 10);
  },
);

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
