import type { Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { area, type Rect } from "../core/geometry.ts";
import type { Colour, ImageInfo, Page } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Decoder, Raster, Window } from "./codec.ts";
import { profileOf } from "./icc.ts";
import { orientationInXmp, orientationOf } from "./orientation.ts";
import type { readingKeys } from "./reading.ts";
import { cutTiles, planCut } from "./tiff-cut.ts";
import { readBytes, readNumbers, readTiff, type TiffFile } from "./tiff-directory.ts";
import { colourSamples, hasAlpha } from "./tiff-layout.ts";
import { readPages, type StoredLevel, type StoredPage } from "./tiff-pages.ts";
import { needsRewriting, rewriteTiles } from "./tiff-rewrite.ts";
import { compressionNames, compressions, photometrics, tags } from "./tiff-tags.ts";
import { open } from "./vips.ts";
import { type Input, isPlain } from "./vips-input.ts";

const largestProfile = 16_777_216;
const largestXmp = 1_048_576;
/** Above this many bytes of tiles, libvips reads a local file better than a copy of its parts. */
const worthCopying = 33_554_432;
/** How many pixels fewer than asked for a level may come out at. */
const levelTolerance = 1;

interface Opened {
  readonly file: TiffFile;
  readonly pages: readonly [StoredPage, ...StoredPage[]];
}

/** Reads TIFF and BigTIFF: of the smallest level that suffices, only the tiles a window touches. */
export const createTiffDecoder = (settings: () => Settings<typeof readingKeys>): Decoder => {
  // Directories are parsed once for as long as a reader is open.
  const known = new WeakMap<RangeReader, Opened>();
  const openTiff = async (reader: RangeReader, signal: AbortSignal): Promise<Opened> => {
    const before = known.get(reader);
    if (before !== undefined) return before;
    const file = await readTiff(reader, signal);
    const opened = { file, pages: await readPages(file, signal) };
    known.set(reader, opened);
    return opened;
  };
  return {
    async info(reader, signal) {
      const { file, pages } = await openTiff(reader, signal);
      const [first, ...rest] = pages;
      const described: [Page, ...Page[]] = [await describe(file, first, signal)];
      for (const page of rest) described.push(await describe(file, page, signal));
      return { format: "tif", pages: described };
    },
    async read(reader, info, window, _plan, signal) {
      const { file, pages } = await openTiff(reader, signal);
      const page = pages[window.page] ?? missingPage(window.page, info);
      const level = sufficient(page, window);
      refuseUnknown(level);
      return readLevel(file, level, {
        region: levelRegion(level, window.region),
        profile: info.pages[window.page]?.colour.profile ?? "none",
        path: reader.path,
        signal,
        most: settings()["processor.max_decoded_bytes"],
        seconds: settings()["processor.timeout"],
      });
    },
  };
};

const describe = async (file: TiffFile, page: StoredPage, signal: AbortSignal): Promise<Page> => {
  const [full, ...smaller] = page;
  const { entries } = full.directory;
  const stored = entries.get(tags.orientation);
  const xmp = entries.get(tags.xmp);
  const icc = entries.get(tags.iccProfile);
  const orientation =
    stored === undefined
      ? orientationInXmp(
          xmp === undefined ? xmp : await readBytes(file, xmp, { signal, most: largestXmp }),
        )
      : orientationOf((await readNumbers(file, stored, { signal, to: 1 }))[0]);
  const model = modelOf(full);
  const profile =
    icc === undefined ? icc : await readBytes(file, icc, { signal, most: largestProfile });
  return {
    size: full.size,
    orientation,
    levels: [asLevel(full), ...smaller.map(asLevel)],
    colour: {
      bits: full.bits,
      model,
      alpha: hasAlpha(full),
      profile: profileOf(profile, model),
    },
  };
};

const asLevel = ({ size, tile }: StoredLevel): Page["levels"][number] => ({ size, tile });

const modelOf = (level: StoredLevel): Colour["model"] => {
  switch (level.photometric) {
    case photometrics.whiteIsZero:
    case photometrics.blackIsZero:
    case photometrics.mask:
      return "grey";
    case photometrics.rgb:
    case photometrics.palette:
    case photometrics.yCbCr:
      return "rgb";
    case photometrics.separated:
      return colourSamples(level) === 4 ? "cmyk" : "other";
    case photometrics.cieLab:
    case photometrics.iccLab:
      return "lab";
    default:
      return "other";
  }
};

/** The smallest level that still has as many pixels as asked for. */
const sufficient = (page: StoredPage, window: Window): StoredLevel => {
  const { region, atLeast } = window;
  const enough = page.filter(
    ({ factor }) =>
      region.width / factor.width >= atLeast.width - levelTolerance &&
      region.height / factor.height >= atLeast.height - levelTolerance,
  );
  return enough.at(-1) ?? page[0];
};

/** The whole pixels of a level that show a region of the full size, at least one. */
const levelRegion = (level: StoredLevel, region: Rect): Rect => {
  const { factor, size } = level;
  const x = Math.min(Math.floor(region.x / factor.width), size.width - 1);
  const y = Math.min(Math.floor(region.y / factor.height), size.height - 1);
  const right = Math.min(Math.ceil((region.x + region.width) / factor.width), size.width);
  const bottom = Math.min(Math.ceil((region.y + region.height) / factor.height), size.height);
  return { x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
};

const readLevel = async (
  file: TiffFile,
  level: StoredLevel,
  options: {
    readonly region: Rect;
    readonly profile: Colour["profile"];
    readonly path: string | undefined;
    readonly signal: AbortSignal;
    readonly most: number;
    readonly seconds: number;
  },
): Promise<Raster> => {
  const { region, profile, path, signal, most, seconds } = options;
  const ignoreIcc = profile === "none" || profile === "srgb";
  const opened = (input: Input, part: Rect, page?: number): Raster => {
    const image = open(input, {
      options: {
        ignoreIcc,
        limitInputPixels: area(part),
        ...(page === undefined ? {} : { page }),
      },
      seconds,
    });
    return raster(level, image, part);
  };
  if (needsRewriting(level)) {
    const rewritten = await rewriteTiles(file, level, { region, most, signal });
    return opened(rewritten.file, rewritten.area);
  }
  const cut = await planCut(file, level, { region, most, signal });
  const page = level.number;
  if (
    cut.bytes > worthCopying &&
    cut.plain &&
    page !== undefined &&
    path !== undefined &&
    isPlain(path)
  )
    return opened(path, { x: 0, y: 0, ...level.size }, page);
  const small = await cutTiles(file, level, { cut, most, signal });
  return opened(small.file, small.area);
};

const raster = (level: StoredLevel, image: Raster["image"], part: Rect): Raster => ({
  image,
  size: { width: part.width, height: part.height },
  covers: {
    x: part.x * level.factor.width,
    y: part.y * level.factor.height,
    width: part.width * level.factor.width,
    height: part.height * level.factor.height,
  },
});

const known = new Set<number>(Object.values(compressions));

const refuseUnknown = (level: StoredLevel): void => {
  if (known.has(level.compression) && level.compression !== compressions.oldJpeg) return;
  const name = compressionNames[level.compression] ?? `number ${level.compression}`;
  fail("unreadable", `Expected a TIFF in a compression that can be read; this one is in ${name}.`);
};

const missingPage = (page: number, info: ImageInfo): never =>
  fail("missing", `Expected a page from 1 to ${info.pages.length}, not ${page + 1}.`);
