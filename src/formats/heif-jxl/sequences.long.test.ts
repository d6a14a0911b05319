import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { av1Of, type Coded } from "../../../test/heif/coded.ts";
import {
  alphaProperty,
  alphaUrn,
  codedItem,
  derivedItem,
  gridData,
  type HeifParts,
  heifOf,
} from "../../../test/heif/file.ts";
import type { HeifTrack } from "../../../test/heif/movie.ts";
import { near, opened } from "../../../test/heif/opened.ts";
import {
  blue,
  brands,
  hidden,
  lime,
  type Pictures,
  pictures,
  red,
  whole,
} from "../../../test/heif/pictures.ts";
import { box } from "../../../test/jp2.ts";
import { fileReaderOf, memoryReader } from "../../../test/readers.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { ffmpegIsHere, ffmpegIsMissing } from "../../../test/video.ts";
import { prepareVips } from "../libvips/setup.ts";

const open = (parts: HeifParts, values = {}) => opened(memoryReader(heifOf(parts)), values);

describe.each(["avif", "heic"] as const)("of %s", (format) => {
  const named = brands[format];
  let own: Pictures;
  beforeAll(async () => {
    await prepareVips();
    own = await pictures[format]();
  });

  const frames = (): Coded[] => [own.red, own.lime, own.blue];
  const sequence = (): HeifTrack => ({ id: 1, handler: "pict", frames: frames() });
  const opacity = (): HeifTrack => ({
    id: 2,
    handler: "auxv",
    frames: own.opacities,
    auxiliary: alphaUrn,
    references: [{ type: "auxl", to: [1] }],
  });

  describe.skipIf(!ffmpegIsHere)("a sequence", () => {
    test("without a primary item has its frames as pages, and no others", async () => {
      for (const handler of ["pict", "vide"] as const) {
        const tracks = [{ ...sequence(), handler }];
        const { info, colour } = await open({ brands: named.frames, tracks });
        expect(info.format).toBe(format);
        expect(info.pages.map(({ size, colour }) => [size.width, colour.alpha])).toEqual([
          [64, false],
          [64, false],
          [64, false],
        ]);
        const known = structuredClone(info);
        for (const [page, wanted] of [red, lime, blue].entries()) {
          expect(await colour(page)).toEqual(near(wanted));
          expect(await colour(page, { known })).toEqual(near(wanted));
        }
        await expect(colour(3)).rejects.toMatchObject({ failure: "missing" });
      }
    });

    test("after a grid starts at the second page", async () => {
      const size = { width: 128, height: 64 };
      const tracks = [sequence()];
      const { info, colour } = await open({
        brands: named.both,
        primary: 1,
        items: [
          derivedItem(1, "grid", { data: gridData(1, 2, size), size }),
          hidden(codedItem(2, own.red)),
          hidden(codedItem(3, own.blue)),
        ],
        references: [{ type: "dimg", from: 1, to: [2, 3] }],
        tracks,
      });
      expect(info.pages.map((page) => page.size.width)).toEqual([128, 64, 64, 64]);
      expect(await colour(0, { part: { x: 80, y: 8, width: 32, height: 32 } })).toEqual(near(blue));
      expect(await colour(2, { part: { x: 0, y: 0, ...whole } })).toEqual(near(lime));
    });

    test("has the alpha of its frames, wherever that track is", async () => {
      for (const tracks of [
        [sequence(), opacity()],
        [opacity(), sequence()],
      ]) {
        const { info, colour } = await open({ brands: named.frames, tracks });
        expect(info.pages.map((page) => page.colour.alpha)).toEqual([true, true, true]);
        const known = structuredClone(info);
        for (const [page, wanted] of [red, lime, blue].entries()) {
          const expected = near([...wanted, own.values[page] ?? 0]);
          expect(await colour(page)).toEqual(expected);
          expect(await colour(page, { known })).toEqual(expected);
        }
      }
    });

    test("has alpha behind a still image, too, also where the track's purpose is not stated", async () => {
      const { auxiliary: _, ...unnamed } = opacity();
      const { info, colour } = await open({
        brands: named.both,
        primary: 1,
        items: [codedItem(1, own.blue), codedItem(2, own.opacities[1], alphaProperty())],
        references: [{ type: "auxl", from: 2, to: [1] }],
        tracks: [sequence(), unnamed],
      });
      expect(info.pages.map((page) => page.colour.alpha)).toEqual([true, true, true, true]);
      expect(await colour(0)).toEqual(near([...blue, own.values[1]]));
      expect(await colour(3)).toEqual(near([...blue, own.values[2]]));
    });

    test("with premultiplied alpha is divided by it", async () => {
      const references = [{ type: "prem", to: [2] }];
      const frames = format === "avif" ? [await av1Of([100, 50, 0])] : [own.red];
      const opacities = own.opacities.slice(1, 2);
      const tracks = [
        { ...sequence(), frames, references },
        { ...opacity(), frames: opacities },
      ];
      const { colour } = await open({ brands: named.frames, tracks });
      const wanted = format === "avif" ? [199, 100, 0] : red;
      expect(await colour(0)).toEqual(near([...wanted, own.values[1]]));
    });

    test("ignores tracks of thumbnails and other auxiliary images", async () => {
      const thumbnails: HeifTrack = {
        id: 2,
        handler: "pict",
        frames: [own.blue, own.blue, own.blue],
        references: [{ type: "thmb", to: [1] }],
      };
      const depth = {
        ...opacity(),
        id: 3,
        auxiliary: "urn:mpeg:mpegB:cicp:systems:auxiliary:depth",
      };
      const tracks = [thumbnails, depth, sequence()];
      const { info, colour } = await open({ brands: named.frames, tracks });
      expect(info.pages.map((page) => page.colour.alpha)).toEqual([false, false, false]);
      expect(await colour(0)).toEqual(near(red));
    });

    test("whose alpha track ends before its frames is refused rather than shown opaque", async () => {
      const tracks = [sequence(), { ...opacity(), frames: own.opacities.slice(0, 2) }];
      const { colour } = await open({ brands: named.frames, tracks });
      expect(await colour(1)).toEqual(near([...lime, own.values[1]]));
      await expect(colour(2)).rejects.toMatchObject({ failure: "unreadable" });
    });
  });

  test("a sequence without a primary item needs FFmpeg, and reports so", async () => {
    const none = { "FfmpegProcessor.path_to_binaries": await temporaryFolder() };
    await expect(open({ brands: named.frames, tracks: [sequence()] }, none)).rejects.toThrow(
      /only a sequence\. FFmpeg can read it, but the program ffmpeg is missing/,
    );
  });
});

test.skipIf(!ffmpegIsHere)("a large local file with a sequence is read", async () => {
  const { red: picture } = await pictures.avif();
  const file = heifOf({
    brands: brands.avif.both,
    primary: 1,
    items: [codedItem(1, picture)],
    tracks: [{ id: 1, handler: "pict", frames: [picture] }],
  });
  // Larger files are opened by their paths.
  const path = join(await temporaryFolder(), "large.avif");
  await writeFile(path, Buffer.concat([file, box("free", Buffer.alloc(5_000_000))]));
  const { info, colour } = await opened(await fileReaderOf(path));
  expect(info.pages).toHaveLength(2);
  expect(await colour(0)).toEqual(near(red));
});

if (!ffmpegIsHere) test(ffmpegIsMissing, ({ skip }) => skip(ffmpegIsMissing));
