import type { Settings } from "../../config/keys.ts";
import { fail, ServerError } from "../../core/errors.ts";
import { area, type Rect } from "../../core/geometry.ts";
import type { Colour, ImageInfo, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { complete, type Steps } from "../../core/steps.ts";
import { canDraw, type DecodedTiles, type TileThreads } from "../fast-jpeg/index.ts";
import type { JpegCropper } from "../jpeg-crop/index.ts";
import { isPlain, open, type VipsInput } from "../libvips/index.ts";
import type { Decoder, FileSize, Raster } from "../shared/index.ts";
import { missingPage } from "../shared/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import type { DecodeSamples } from "./codecs/index.ts";
import {
  checkParts,
  checkScanned,
  cutTiles,
  decodeHere,
  describePage,
  explainReading,
  isTiny,
  needsRewriting,
  paddedTo,
  planCut,
  recodePart,
  refuseSamples,
  rewriteTiles,
  scalePart,
  storedTile,
  withoutPadding,
} from "./read/index.ts";
import {
  compressionNames,
  compressions,
  levelRegion,
  readOutline,
  readPages,
  readTiff,
  type StoredLevel,
  type StoredPage,
  sufficient,
  TiffBytes,
  type TiffFile,
  TiffStructureCache,
} from "./structure/index.ts";

/** Maximum bytes of tiles to copy; beyond, libvips reads a local file directly. */
const worthCopying = 33_554_432;

interface OpenTiff {
  readonly file: TiffFile;
  readonly pages: readonly [StoredPage, ...StoredPage[]];
}

/**
 * The dependencies of reading TIFFs besides the settings; by default nothing is cached for long,
 * and nothing recoded.
 */
export interface TiffParts {
  readonly kept?: TiffStructureCache | undefined;
  readonly threads?: TileThreads | undefined;
  readonly decoded?: DecodedTiles | undefined;
  /** Absent: JPEG tiles at the edges of levels are encoded again. */
  readonly cropper?: JpegCropper | undefined;
}

const keptByDefault = 1_048_576;

/** Reads TIFF and BigTIFF: of the smallest sufficient level, only the tiles a window touches. */
export const createTiffDecoder = (
  settings: () => Settings<typeof decodingKeys>,
  { kept = new TiffStructureCache(keptByDefault), threads, decoded, cropper }: TiffParts = {},
): Decoder => {
  const decode: DecodeSamples = threads
    ? (job, signal) => threads.decode(job, signal)
    : decodeHere();
  function* parse(size: number, isFar = false): Steps<OpenTiff> {
    const file = { ...(yield* readTiff(size, isFar)), kept: kept.begin() };
    return { file, pages: yield* readPages(file) };
  }
  function* parseOutline(size: number): Steps<OpenTiff | undefined> {
    const outline = yield* readOutline(size);
    return outline && { ...outline, file: { ...outline.file, kept: kept.begin() } };
  }
  const keep = (info: ImageInfo, { file, pages }: OpenTiff): void => {
    const { big, directories, kept: parts, bytes } = file;
    if (parts === undefined) return;
    const { littleEndian, blockSize } = bytes;
    kept.set(info, { littleEndian, blockSize, big, directories, pages, parts });
  };
  /** The cached facts of a file. */
  const openedBefore = ({ size }: FileSize, info: ImageInfo): OpenTiff | undefined => {
    const before = kept.get(info);
    if (before === undefined) return undefined;
    const { littleEndian, blockSize, big, directories, pages, parts } = before;
    const bytes = new TiffBytes(size, littleEndian, { blockSize });
    return { file: { bytes, big, directories, kept: parts }, pages };
  };
  function* openNow({ size }: FileSize, info: ImageInfo): Steps<OpenTiff> {
    const outline = info.isOutline ? yield* parseOutline(size) : undefined;
    const opened = outline ?? (yield* parse(size));
    keep(info, opened);
    return opened;
  }
  /** Steps that need an open file; where it was opened before, those alone. */
  const ofOpened = (source: FileSize, info: ImageInfo, next: Next<OpenTiff>): MaybeSteps => {
    const before = openedBefore(source, info);
    return before ? next(before) : after(openNow(source, info), next);
  };
  function* readInfo(size: number, isFar = false): Steps<ImageInfo> {
    return yield* describe(yield* parse(size, isFar));
  }
  function* readOutlined(size: number): Steps<ImageInfo> {
    try {
      const outline = yield* parseOutline(size);
      if (outline) return yield* describe(outline, true);
    } catch (error) {
      // A smaller level may be usable where the largest are not.
      if (!(error instanceof ServerError) || error.failure !== "unreadable") throw error;
    }
    return yield* readInfo(size, true);
  }
  function* describe(opened: OpenTiff, isOutline = false): Steps<ImageInfo> {
    const { file, pages } = opened;
    const [first, ...rest] = pages;
    // Better reported before info.json offers what cannot be served.
    refuseUnknown(first[0]);
    checkParts(first, settings()["processor.max_scanned_pixels"]);
    const described: [Page, ...Page[]] = [yield* describePage(file, first)];
    for (const page of rest) described.push(yield* describePage(file, page));
    const info: ImageInfo = {
      format: "tif",
      pages: described,
      ...(isOutline ? { isOutline } : {}),
    };
    keep(info, opened);
    return info;
  }
  const max = (): number => settings()["processor.max_decoded_bytes"];
  return {
    info: (reader, signal) => complete(readInfo(reader.size, reader.isFar), reader, signal),
    outline: (reader, signal) => complete(readOutlined(reader.size), reader, signal),
    async read(reader, info, window, _plan, signal) {
      const { file, pages } =
        openedBefore(reader, info) ?? (await complete(openNow(reader, info), reader, signal));
      const page = pages[window.page] ?? missingPage(window.page, pages.length);
      const level = sufficient(page, window);
      refuseUnknown(level);
      const region = levelRegion(level, window.region);
      checkScanned(level, region, settings()["processor.max_scanned_pixels"]);
      return readLevel(file, level, {
        region,
        colour: (info.pages[window.page] ?? info.pages[0]).colour,
        reader,
        decode,
        signal,
        max: max(),
        seconds: settings()["processor.timeout"],
      });
    },
    stored: (source, info, { page, level, region, profiled }, format) =>
      ofOpened(source, info, ({ file, pages }) => {
        const stored = pages[page]?.[level];
        return stored && storedTile(file, stored, { region, format, profiled, cropper });
      }),
    recode: (source, info, part, plan) =>
      byThreads(threads, (threads) =>
        ofOpened(source, info, ({ file, pages }) => {
          const level = pages[part.page]?.[part.level];
          return level && recodePart({ file, level, threads }, part, plan);
        }),
      ),
    scale: (source, info, part, plan) =>
      byThreads(threads, (threads) =>
        ofOpened(source, info, ({ file, pages }) => {
          const page = pages[part.window.page];
          if (page === undefined) return undefined;
          const level = sufficient(page, part.window);
          return scalePart({ file, level, threads, max: max(), decoded }, part, plan);
        }),
      ),
    async explain(reader, info, { window, part }, plan, signal) {
      const { file, pages } =
        openedBefore(reader, info) ?? (await complete(openNow(reader, info), reader, signal));
      const page = pages[window.page] ?? missingPage(window.page, pages.length);
      const level = (part && page[part.level]) ?? sufficient(page, window);
      const region = part ? part.region : levelRegion(level, window.region);
      const reading = await complete(explainReading(file, level, { region, plan }), reader, signal);
      const able = threads !== undefined && (await threads.available());
      return {
        level: page.indexOf(level),
        ...reading,
        ...(able
          ? {}
          : { notRecoded: "there are no threads for tiles, or they are unavailable here" }),
      };
    },
  };
};

/** The steps of a way; undefined where it is known to have no result. */
type MaybeSteps = Steps<Uint8Array | undefined> | undefined;
type Next<T> = (value: T) => MaybeSteps;

/** Steps that continue with the result of others. */
function* after<T>(first: Steps<T>, next: Next<T>): Steps<Uint8Array | undefined> {
  const steps = next(yield* first);
  return steps && (yield* steps);
}

/** Steps that need threads for tiles, where these are available. */
const byThreads = (threads: TileThreads | undefined, next: Next<TileThreads>): MaybeSteps => {
  if (threads === undefined) return undefined;
  if (threads.isAvailable?.() === true) return next(threads);
  return after(canDraw(threads), (can) => (can ? next(threads) : undefined));
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
    readonly max: number;
    readonly seconds: number;
  },
): Promise<Raster> => {
  const { region, colour, reader, decode, signal, max, seconds } = options;
  const run = <T>(steps: Steps<T>): Promise<T> => complete(steps, reader, signal);
  const { profile } = colour;
  const ignoreIcc = profile === "none" || profile === "srgb";
  const opened = (input: VipsInput, part: Rect, page?: number): Raster => {
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
    const rewritten = await run(rewriteTiles(file, level, { region, max, decode }));
    return opened(rewritten.file, rewritten.area);
  }
  const cut = await run(planCut(file, level, { region, max }));
  const page = level.number;
  if (cut.bytes > worthCopying && cut.plain && page !== undefined) {
    const { path } = reader;
    if (path !== undefined && isPlain(path))
      return opened(path, { x: 0, y: 0, ...level.size }, page);
  }
  if (level.tiled && isTiny(cut.area, level.tile)) {
    const padded = { ...cut, area: paddedTo(cut.area, level.tile) };
    const { file: tile } = await run(cutTiles(file, level, { cut: padded, max, decode }));
    const trimming = { part: cut.area, tile: level.tile, colour, seconds };
    return opened(await withoutPadding(tile, trimming), cut.area);
  }
  const small = await run(cutTiles(file, level, { cut, max, decode }));
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
    fail("unreadable", `Unsupported TIFF compression: ${name}.`);
  }
  refuseSamples(level);
};
