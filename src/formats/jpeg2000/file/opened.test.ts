import { afterAll, describe, expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../../test/corpus.ts";
import { jpeg2000File } from "../../../../test/jpeg2000-files.ts";
import { random } from "../../../../test/random.ts";
import { fileReaderOf, memoryReader } from "../../../../test/readers.ts";
import { Config } from "../../../config/store.ts";
import type { Rect } from "../../../core/geometry.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { codestreamsHere } from "./codestreams.ts";
import { bytesOf } from "./file.ts";
import { jpeg2000Keys } from "./keys.ts";
import { decodePart, isReady, openFile } from "./opened.ts";
import { PixelCache } from "./pixel-cache.ts";

const { signal } = new AbortController();
const codestreams = await codestreamsHere(new Config().view(jpeg2000Keys));
afterAll(() => codestreams.decoder.close());

/**
 * Compares parts that are cut from cached pixels with the same parts decoded directly; returns how
 * many were all cached.
 */
const compare = async (reader: RangeReader): Promise<number> => {
  const file = await openFile(codestreams.open, bytesOf(reader, signal));
  const { decoder } = codestreams;
  const [pixels, none] = [new PixelCache(4_000_000), new PixelCache(0)];
  const dice = random(reader.size);
  for (const level of file.levels.slice(0, 3)) {
    const { width, height } = level.size;
    // Some of it is cached; then parts begin anywhere, and half of them within that.
    const regions: Rect[] = [
      { x: 0, y: 0, width: Math.min(900, width), height: Math.min(600, height) },
    ];
    for (let turn = 0; turn < 4; turn++) {
      const x = dice.whole(0, turn % 2 === 0 ? width - 1 : Math.min(600, width - 1));
      const y = dice.whole(0, turn % 2 === 0 ? height - 1 : Math.min(300, height - 1));
      const [right, bottom] = [Math.min(400, width - x), Math.min(300, height - y)];
      regions.push({ x, y, width: dice.whole(1, right), height: dice.whole(1, bottom) });
    }
    for (const region of regions) {
      const part = { level, region, max: 536_870_912, signal };
      const cut = await decodePart({ decoder, pixels }, reader, file, part);
      const direct = await decodePart({ decoder, pixels: none }, reader, file, part);
      expect(cut.channels).toBe(direct.channels);
      expect(Buffer.compare(bytesIn(cut.values), bytesIn(direct.values))).toBe(0);
    }
  }
  return isReady(file) ? pixels.tally.hits : Number.POSITIVE_INFINITY;
};

const bytesIn = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

test.each(["tiles.jp2", "precincts.jp2", "blocks.j2c"])(
  "%s: parts cut from the cache equal a direct decode, bit for bit",
  async (name) => {
    expect(await compare(memoryReader(await jpeg2000File(name)))).toBeGreaterThan(0);
  },
);

const files = corpusFiles("jp2", "htj2k").filter(({ expect }) => expect === "ok");

describe.skipIf(!corpusIsHere)("files of the corpus, cut from the cache", () => {
  test.each(files.map((file) => [file.path, file] as const))(
    "%s",
    async (_, file) => {
      const reader = await fileReaderOf(corpusPath(file));
      expect(await compare(reader)).toBeGreaterThan(0);
      await reader.close();
    },
    120_000,
  );
});

if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
