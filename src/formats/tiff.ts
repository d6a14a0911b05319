import type { Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import { area, type Rect } from "../core/geometry.ts";
import type { Colour, ImageInfo, Page } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Decoder, Raster, Window } from "./codec.ts";
import type { DecodedTiles } from "./decoded-tiles.ts";
import { profileOf } from "./icc.ts";
import { orientationInXmp, orientationOf } from "./orientation.ts";
import type { readingKeys } from "./reading.ts";
import type { DecodeSamples } from "./sample-job.ts";
import { decodeHere } from "./samples-here.ts";
import { largestTile, tileAtOnce } from "./tiff-at-once.ts";
import { TiffBytes } from "./tiff-bytes.ts";
import { cutTiles, planCut } from "./tiff-cut.ts";
import { readBytes, readNumbers, readTiff, type TiffFile } from "./tiff-directory.ts";
import { explainReading } from "./tiff-explain.ts";
import { TiffKept } from "./tiff-kept.ts";
import { colourSamples, hasAlpha } from "./tiff-layout.ts";
import { readPages, type StoredLevel, type StoredPage } from "./tiff-pages.ts";
import { recodePart } from "./tiff-recode.ts";
import { needsRewriting, refuseSamples, rewriteTiles } from "./tiff-rewrite.ts";
import { scaleAtOnce, scalePart } from "./tiff-scaled.ts";
import { storedTile } from "./tiff-stored.ts";
import { compressionNames, compressions, photometrics, tags } from "./tiff-tags.ts";
import { isTiny, paddedTo, withoutPadding } from "./tiff-tiny.ts";
import type { TileThreads } from "./tile-threads.ts";
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

/** What reading TIFFs needs beside the settings; by default nothing is kept for long, and nothing recoded. */
export interface TiffParts {
  readonly kept?: TiffKept;
  readonly threads?: TileThreads;
  readonly decoded?: DecodedTiles;
}

const keptByDefault = 1_048_576;

/** Reads TIFF and BigTIFF: of the smallest level that suffices, only the tiles a window touches. */
export const createTiffDecoder = (
  settings: () => Settings<typeof readingKeys>,
  { kept = new TiffKept(keptByDefault), threads, decoded }: TiffParts = {},
): Decoder => {
  const decode: DecodeSamples = threads
    ? (job, signal) => threads.decode(job, signal)
    : decodeHere();
  const parse = async (reader: RangeReader, signal: AbortSignal): Promise<Opened> => {
    const file = { ...(await readTiff(reader, signal)), kept: kept.begin() };
    return { file, pages: await readPages(file, signal) };
  };
  const keep = (info: ImageInfo, { file, pages }: Opened): void => {
    const { big, directories, kept: parts, bytes } = file;
    if (parts === undefined) return;
    kept.set(info, { littleEndian: bytes.littleEndian, big, directories, pages, parts });
  };
  const openTiff = async (
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
  ): Promise<Opened> => {
    const before = kept.get(info);
    if (before !== undefined) {
      const { littleEndian, big, directories, pages, parts } = before;
      const bytes = new TiffBytes(reader, littleEndian);
      return { file: { bytes, big, directories, kept: parts }, pages };
    }
    const opened = await parse(reader, signal);
    keep(info, opened);
    return opened;
  };
  const room = new Uint8Array(largestTile);
  const seconds = (): number => settings()["processor.timeout"];
  return {
    async info(reader, signal) {
      const opened = await parse(reader, signal);
      const { file, pages } = opened;
      const [first, ...rest] = pages;
      // Better said before info.json offers what cannot be had.
      refuseUnknown(first[0]);
      const described: [Page, ...Page[]] = [await describe(file, first, signal)];
      for (const page of rest) described.push(await describe(file, page, signal));
      const info: ImageInfo = { format: "tif", pages: described };
      keep(info, opened);
      return info;
    },
    async read(reader, info, window, _plan, signal) {
      const { file, pages } = await openTiff(reader, info, signal);
      const page = pages[window.page] ?? missingPage(window.page, info);
      const level = sufficient(page, window);
      refuseUnknown(level);
      return readLevel(file, level, {
        region: levelRegion(level, window.region),
        colour: (info.pages[window.page] ?? info.pages[0]).colour,
        reader,
        decode,
        signal,
        most: settings()["processor.max_decoded_bytes"],
        seconds: seconds(),
      });
    },
    async stored(reader, info, { page, level, region, profiled }, format, signal) {
      const { file, pages } = await openTiff(reader, info, signal);
      const stored = pages[page]?.[level];
      return stored && storedTile(file, stored, { region, format, profiled, signal });
    },
    async recode(reader, info, part, plan, signal) {
      if (threads === undefined || !(await threads.available())) return undefined;
      const { file, pages } = await openTiff(reader, info, signal);
      const level = pages[part.page]?.[part.level];
      if (level === undefined) return undefined;
      return recodePart({ file, level, threads }, part, plan, signal);
    },
    atOnce(read, info, part, plan, draws) {
      const structure = kept.get(info);
      const level = structure?.pages[part.page]?.[part.level];
      if (structure === undefined || level === undefined) return undefined;
      return tileAtOnce(
        { structure, level, read, threads: draws ? threads : undefined, room },
        part,
        plan,
      );
    },
    async scale(reader, info, part, plan, signal) {
      if (threads === undefined || !(await threads.available())) return undefined;
      const { file, pages } = await openTiff(reader, info, signal);
      const page = pages[part.window.page];
      if (page === undefined) return undefined;
      const level = sufficient(page, part.window);
      const most = settings()["processor.max_decoded_bytes"];
      return scalePart({ file, level, threads, most, decoded }, part, plan, signal);
    },
    scaleAtOnce(info, part, plan) {
      const structure = kept.get(info);
      const page = structure?.pages[part.window.page];
      if (threads === undefined || structure === undefined || page === undefined) return undefined;
      const level = sufficient(page, part.window);
      const most = settings()["processor.max_decoded_bytes"];
      return scaleAtOnce({ structure, level, threads, most, decoded }, part, plan);
    },
    async explain(reader, info, { window, part }, plan, signal) {
      const { file, pages } = await openTiff(reader, info, signal);
      const page = pages[window.page] ?? missingPage(window.page, info);
      const level = (part && page[part.level]) ?? sufficient(page, window);
      const region = part ? part.region : levelRegion(level, window.region);
      const reading = await explainReading(file, level, { region, plan, signal });
      const able = threads !== undefined && (await threads.available());
      return {
        level: page.indexOf(level),
        ...reading,
        ...(able ? {} : { notRecoded: "there are no threads for tiles, or they cannot work here" }),
      };
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

/**
 * The smallest level that still has as many pixels as asked for, within one of the whole level: a
 * region of a pixel or two would otherwise be content with any level.
 */
const sufficient = (page: StoredPage, window: Window): StoredLevel => {
  const { region, atLeast } = window;
  const [full] = page;
  const across = (full.size.width * atLeast.width) / region.width - levelTolerance;
  const down = (full.size.height * atLeast.height) / region.height - levelTolerance;
  const enough = page.filter(
    ({ factor }) =>
      full.size.width / factor.width >= across && full.size.height / factor.height >= down,
  );
  return enough.at(-1) ?? full;
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
    readonly colour: Colour;
    readonly reader: RangeReader;
    readonly decode: DecodeSamples;
    readonly signal: AbortSignal;
    readonly most: number;
    readonly seconds: number;
  },
): Promise<Raster> => {
  const { region, colour, reader, decode, signal, most, seconds } = options;
  const { profile } = colour;
  const ignoreIcc = profile === "none" || profile === "srgb";
  const opened = (input: Input, part: Rect, page?: number): Raster => {
    const image = open(input, {
      as: "tif",
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
    const rewritten = await rewriteTiles(file, level, { region, most, decode, signal });
    return opened(rewritten.file, rewritten.area);
  }
  const cut = await planCut(file, level, { region, most, signal });
  const page = level.number;
  if (cut.bytes > worthCopying && cut.plain && page !== undefined) {
    const { path } = reader;
    if (path !== undefined && isPlain(path))
      return opened(path, { x: 0, y: 0, ...level.size }, page);
  }
  if (level.tiled && isTiny(cut.area, level.tile)) {
    const padded = { ...cut, area: paddedTo(cut.area, level.tile) };
    const { file: tile } = await cutTiles(file, level, { cut: padded, most, decode, signal });
    const trimming = { part: cut.area, tile: level.tile, colour, seconds };
    return opened(await withoutPadding(tile, trimming), cut.area);
  }
  const small = await cutTiles(file, level, { cut, most, decode, signal });
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
  if (!known.has(level.compression) || level.compression === compressions.oldJpeg) {
    const name = compressionNames[level.compression] ?? `number ${level.compression}`;
    fail(
      "unreadable",
      `Expected a TIFF in a compression that can be read; this one is in ${name}.`,
    );
  }
  refuseSamples(level);
};

const missingPage = (page: number, info: ImageInfo): never =>
  fail("missing", `Expected a page from 1 to ${info.pages.length}, not ${page + 1}.`);
