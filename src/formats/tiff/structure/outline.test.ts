import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  allCorpusFiles,
  corpusFolder,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../../../../test/corpus.ts";
import { plan } from "../../../../test/plans.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { noisePyramid, placesIn, relinked, remarked } from "../../../../test/tiff-links.ts";
import { Config } from "../../../config/store.ts";
import type { ImageInfo } from "../../../core/info.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { decodingKeys } from "../../shared/keys.ts";
import { createTiffDecoder } from "../decoder.ts";

const signal = new AbortController().signal;
const decoder = createTiffDecoder(new Config().view(decodingKeys));
const block = 32_768;

/** A reader each of whose reads costs a request, since blocks are cached; counts them. */
const farReader = (bytes: Uint8Array) => {
  const kept = new Set<number>();
  const counts = { requests: 0, bytes: 0 };
  const fetch = (ranges: readonly { offset: number; length: number }[]): void => {
    const missing = new Set<number>();
    for (const { offset, length } of ranges)
      for (let at = Math.floor(offset / block); at * block < offset + length; at++)
        if (!kept.has(at)) missing.add(at);
    const order = [...missing].sort((one, other) => one - other);
    counts.requests += order.filter((at) => !missing.has(at - 1)).length;
    counts.bytes += order.length * block;
    for (const at of order) kept.add(at);
  };
  const plain = memoryReader(bytes);
  const reader: RangeReader = {
    ...plain,
    isFar: true,
    read: async (offset, length) => {
      fetch([{ offset, length }]);
      return plain.read(offset, length);
    },
    readMany: async (ranges) => {
      fetch(ranges);
      return Promise.all(ranges.map(({ offset, length }) => plain.read(offset, length)));
    },
  };
  return { reader, counts };
};

const outlineOf = async (bytes: Uint8Array): Promise<ImageInfo> => {
  const { reader } = farReader(bytes);
  return (await decoder.outline?.(reader, signal)) ?? decoder.info(reader, signal);
};
const infoOf = (bytes: Uint8Array): Promise<ImageInfo> => decoder.info(memoryReader(bytes), signal);

/** The expected outline of a completely known image. */
const beginningOf = ({ format, pages: [{ levels, ...page }] }: ImageInfo): ImageInfo => {
  const [full, second = full] = levels;
  return { format, pages: [{ ...page, levels: [full, second] }], isOutline: true };
};

let pyramid: Uint8Array;
beforeAll(async () => {
  pyramid = await noisePyramid();
});

const placeOf = (directory: number): number => placesIn(pyramid)[directory]?.at ?? 0;

describe("the outline of a pyramid", () => {
  test("has the first page with two levels, using two requests after the first", async () => {
    const { reader, counts } = farReader(pyramid);
    const outline = await decoder.outline?.(reader, signal);
    const whole = await infoOf(pyramid);
    expect(whole.pages[0].levels.length).toBeGreaterThan(3);
    expect(outline).toEqual(beginningOf(whole));
    expect(counts.requests).toBe(3);
    expect(counts.bytes).toBeLessThanOrEqual(8 * block);
  });

  test("lets the full structure be read with at most two more requests", async () => {
    const { reader, counts } = farReader(pyramid);
    await decoder.outline?.(reader, signal);
    const { requests } = counts;
    expect(await decoder.info(reader, signal)).toEqual(await infoOf(pyramid));
    expect(counts.requests - requests).toBeLessThanOrEqual(2);
  });

  test("gives the same tiles of the largest level as the full structure", async () => {
    const region = { x: 256, y: 128, width: 128, height: 128 };
    const window = { page: 0, region, atLeast: { width: 128, height: 128 } };
    const draw = async (info: ImageInfo): Promise<Buffer> => {
      const { reader } = farReader(pyramid);
      // Of another decoder, so that nothing of the structure is cached.
      const other = createTiffDecoder(new Config().view(decodingKeys));
      const raster = await other.read(reader, info, window, plan, signal);
      return raster.image.raw().toBuffer();
    };
    const [one, other] = [await outlineOf(pyramid), await infoOf(pyramid)];
    expect((await draw(one)).equals(await draw(other))).toBe(true);
  });

  test("is the same when other pages follow", async () => {
    const pages = relinked(remarked(pyramid, 3, 0), 1, placeOf(3));
    const whole = await infoOf(pages);
    expect(whole.pages.map(({ levels }) => levels.length)).toEqual([2, 2]);
    expect(await outlineOf(pages)).toEqual(beginningOf(whole));
  });

  test("ignores a later loop or break in the chain, which a full read rejects", async () => {
    const damaged = [
      relinked(pyramid, 3, placeOf(1)),
      relinked(pyramid, 2, pyramid.length + 10),
      relinked(pyramid, 1, 0xffff_fff0),
      relinked(pyramid, 1, pyramid.length - 3),
    ];
    for (const bytes of damaged) {
      const outline = await outlineOf(bytes);
      expect(outline.isOutline).toBe(true);
      const { reader } = farReader(bytes);
      await expect(infoOf(bytes)).rejects.toMatchObject({ failure: "unreadable" });
      await expect(decoder.info(reader, signal)).rejects.toMatchObject({ failure: "unreadable" });
    }
  });
});

describe("without an outline", () => {
  test.runIf(corpusIsHere)(
    "reads everything when all directories are at the beginning, as in a COG",
    async () => {
      const bytes = await readFile(`${corpusFolder}tiff/pyramid/cog_world.tif`);
      const { reader, counts } = farReader(bytes);
      expect(await decoder.outline?.(reader, signal)).toEqual(await infoOf(bytes));
      expect(counts.bytes).toBeLessThanOrEqual(4 * block);
    },
  );

  test("reads everything when the second image is half as large by accident", async () => {
    const pages = relinked(remarked(remarked(pyramid, 1, 0), 3, 0), 1, placeOf(3));
    const whole = await infoOf(pages);
    expect(whole.pages.map(({ levels }) => levels.length)).toEqual([1, 1, 2]);
    expect(await outlineOf(pages)).toEqual(whole);
  });

  test("reads everything when no level is marked", async () => {
    let bytes = pyramid;
    for (let index = 1; index < placesIn(pyramid).length; index++)
      bytes = remarked(bytes, index, 0);
    const whole = await infoOf(bytes);
    expect(whole.pages).toHaveLength(1);
    expect(await outlineOf(bytes)).toEqual(whole);
  });

  test("reads everything when the second directory is a mask", async () => {
    const bytes = remarked(pyramid, 1, 5);
    expect(await outlineOf(bytes)).toEqual(await infoOf(bytes));
  });

  test("reads everything when the chain ends with the second directory", async () => {
    const bytes = relinked(pyramid, 1, 0);
    const whole = await infoOf(bytes);
    expect(whole.pages[0].levels).toHaveLength(2);
    expect(await outlineOf(bytes)).toEqual(whole);
  });

  test("rejects a chain that loops back to the first directory", async () => {
    const bytes = relinked(pyramid, 1, placeOf(0));
    await expect(outlineOf(bytes)).rejects.toThrow(/form a loop/);
  });

  test.runIf(corpusIsHere)(
    "reads everything when levels are in SubIFDs, fetching them together",
    async () => {
      const bytes = await readFile(`${corpusFolder}tiff/pyramid/derived-jpeg-t256-subifd.tif`);
      const { reader, counts } = farReader(bytes);
      expect(await decoder.outline?.(reader, signal)).toEqual(await infoOf(bytes));
      expect(counts.requests).toBeLessThanOrEqual(3);
    },
  );

  test("rejects an unreadable first directory", async () => {
    const bytes = relinked(pyramid, 0, 1);
    await expect(outlineOf(bytes)).rejects.toMatchObject({ failure: "unreadable" });
  });
});

const corpus = allCorpusFiles().filter(({ path }) => /\.(?:tiff?|svs)$/i.test(path));
if (!corpusIsHere) console.warn(corpusIsMissing);

test.runIf(corpusIsHere)(
  "outlines and remote reads of all TIFFs of the corpus match their full structure",
  async () => {
    const told = { outline: 0, whole: 0 };
    const orMessage = (info: Promise<ImageInfo>): Promise<ImageInfo | string> =>
      info.catch((error: Error) => error.message);
    for (const file of corpus) {
      const bytes = await readFile(corpusPath(file));
      const whole = await orMessage(infoOf(bytes));
      const outline = await orMessage(outlineOf(bytes));
      const far = await orMessage(decoder.info(farReader(bytes).reader, signal));
      expect([file.path, far]).toEqual([file.path, whole]);
      const isOutline = typeof outline !== "string" && outline.isOutline === true;
      const expected = isOutline && typeof whole !== "string" ? beginningOf(whole) : whole;
      expect([file.path, outline]).toEqual([file.path, expected]);
      told[isOutline ? "outline" : "whole"]++;
    }
    expect(told.outline).toBeGreaterThan(0);
    expect(told.whole).toBeGreaterThan(100);
  },
  120_000,
);
