import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../test/corpus.ts";
import { near, opened } from "../../../test/heif/opened.ts";
import { fileReaderOf, memoryReader } from "../../../test/readers.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { ffmpegIsHere, ffmpegIsMissing } from "../../../test/video.ts";
import { prepareVips } from "../libvips/setup.ts";

/**
 * Three frames of 64 x 48, red, lime and blue, by `ffmpeg -c:v libaom-av1 -f avif`; its still image
 * is the first.
 */
const colours = (): Promise<Buffer> =>
  readFile(new URL("../../../test/sequences/colours.avif", import.meta.url));

describe("a sequence", () => {
  beforeAll(prepareVips);

  test.skipIf(!ffmpegIsHere)("has its frames as pages, including the still image", async () => {
    const { info, colour } = await opened(memoryReader(await colours()));
    expect(info.pages.map(({ size }) => size.width)).toEqual([64, 64, 64]);
    expect(await colour(0)).toEqual(near([255, 0, 0]));
    expect(await colour(1)).toEqual(near([0, 255, 0]));
    expect(await colour(2)).toEqual(near([0, 0, 255]));
    await expect(colour(3)).rejects.toMatchObject({ failure: "missing" });
  });

  test.skipIf(!ffmpegIsHere)("is recognised when its info comes from a cache", async () => {
    const { info, colour } = await opened(memoryReader(await colours()));
    expect(await colour(2, { known: structuredClone(info) })).toEqual(near([0, 0, 255]));
  });

  test.skipIf(!ffmpegIsHere)(
    "whose still image is none of its frames has one page more",
    async () => {
      const bytes = await colours();
      // The offset of the only item's data, in the box iloc: moved, and so an image of its own.
      const data = bytes.subarray(956, 992);
      const apart = Buffer.concat([bytes, data]);
      const list = apart.indexOf("iloc", 0, "latin1");
      const at = apart.indexOf(Buffer.from([0, 0, 956 >> 8, 956 & 255]), list);
      expect(at - list).toBeLessThan(40);
      apart.writeUInt32BE(bytes.length, at);
      const { info, colour } = await opened(memoryReader(apart));
      expect(info.pages).toHaveLength(4);
      expect(await colour(0)).toEqual(near([255, 0, 0]));
      expect(await colour(1)).toEqual(near([255, 0, 0]));
      expect(await colour(3)).toEqual(near([0, 0, 255]));
    },
  );

  test("is its still image where FFmpeg is missing or its frames cannot be determined", async () => {
    const folder = await temporaryFolder();
    const without = { "FfmpegProcessor.path_to_binaries": folder };
    const alone = await opened(memoryReader(await colours()), without);
    expect(alone.info.pages).toHaveLength(1);
    expect(await alone.colour(0)).toEqual(near([255, 0, 0]));
    const damaged = await colours();
    damaged.write("skip", damaged.indexOf("trak", 0, "latin1"), "latin1");
    const { info, colour } = await opened(memoryReader(damaged));
    expect(info.pages).toHaveLength(1);
    expect(await colour(0)).toEqual(near([255, 0, 0]));
  });

  const files = { "avif/star-8bpc.avifs": 6, "heic/MIAF006.heic": 3 };
  const isRead = ffmpegIsHere && corpusIsHere;

  test.skipIf(!isRead).each(Object.entries(files))("%s has pages: %i", async (path, pages) => {
    const file = corpusFiles("avif", "heic").find((one) => one.path === path);
    if (file === undefined) throw new Error(`Expected ${path}`);
    const { info, colour } = await opened(await fileReaderOf(corpusPath(file)));
    expect(info.pages).toHaveLength(pages);
    const [first = [], second = []] = [await colour(0), await colour(1)];
    // The same scene, by another decoder, or brighter.
    for (const [band, value] of second.entries())
      expect(Math.abs(value - (first[band] ?? -99))).toBeLessThan(25);
    await expect(colour(pages)).rejects.toMatchObject({ failure: "missing" });
  });
});

if (!ffmpegIsHere) test(ffmpegIsMissing, ({ skip }) => skip(ffmpegIsMissing));
if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
