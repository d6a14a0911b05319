import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import type { Rect } from "../../core/geometry.ts";
import type { ImageInfo, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { type Steps, work } from "../../core/steps.ts";
import { canDraw, type TileThreads } from "../fast-jpeg/index.ts";
import { rasterOf } from "../libvips/index.ts";
import { ByteCache, type DecodedPixels, type Decoder, requirePage } from "../shared/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import type { JpegForm } from "./codestream/index.ts";
import {
  bytesOf,
  type Codestreams,
  type Drawing,
  type DrawingMeans,
  decodePart,
  encodePart,
  isReady,
  type Jp2Level,
  levelRegion,
  type OpenJpeg2000,
  openFile,
  openFurtherCodestreams,
  orientationIn,
  pixelsOf,
  type RegionPixels,
  readMetadata,
  recodeLevel,
  type StoredLevels,
  scaleLevel,
  sourcesOf,
  sufficient,
  surveyPart,
  whyNotRecoded,
} from "./file/index.ts";

/** Maximum bytes of cached file structures, including profiles and palettes. */
const maxKept = 16_777_216;

/**
 * Reads JPEG 2000: JP2, JPX and JPH files and bare codestreams (ISO/IEC 15444-1, -2 annex M, -15),
 * of the smallest sufficient resolution only the code-blocks that a window touches. With `threads`,
 * plain images become JPEGs without libvips.
 */
export const createJpeg2000Decoder = (
  settings: () => Settings<typeof decodingKeys>,
  { open, decoder, pixels }: Codestreams,
  threads?: TileThreads,
): Decoder => {
  const kept = new ByteCache<Page, OpenJpeg2000>(maxKept);
  const opened = async (
    reader: RangeReader,
    info: ImageInfo,
    number: number,
    signal: AbortSignal,
  ): Promise<OpenJpeg2000> => {
    const page = requirePage(info, number);
    const before = kept.get(page);
    if (before !== undefined) return before;
    const bytes = bytesOf(reader, signal);
    const now =
      number === 0
        ? await openFile(open, bytes)
        : (await openFurtherCodestreams(open, bytes))[number - 1];
    if (now === undefined)
      return fail("unreadable", "The codestreams of the JPEG 2000 changed while it was open.");
    kept.set(page, now, now.bytes);
    return now;
  };
  const decoded = (
    reader: RangeReader,
    file: OpenJpeg2000,
    part: { readonly level: Jp2Level; readonly region: Rect },
    signal: AbortSignal,
  ): Promise<DecodedPixels> => {
    const max = settings()["processor.max_decoded_bytes"];
    return decodePart({ decoder, pixels }, reader, file, { ...part, max, signal });
  };
  /** The level and pixels that fast JPEGs can be made of; undefined where they cannot. */
  function* drawingOf(info: ImageInfo, { page, levelIn }: LevelWanted): Steps<Drawing | undefined> {
    if (threads === undefined || !(yield* canDraw(threads))) return undefined;
    const known = info.pages[page];
    const file = yield* work({
      here: () => known && kept.get(known),
      away: (signal, reader) => opened(reader, info, page, signal),
    });
    const level = levelIn(file.levels);
    const means = level && toolsOf(threads, file, level);
    if (level === undefined || means === undefined) return undefined;
    const levelPixels = pixelsOf(file, level);
    function* encode(region: Rect, form: JpegForm): Steps<Uint8Array | undefined> {
      if (level === undefined || pixels.isWanted(levelPixels, region)) return undefined;
      pixels.noteAsked(levelPixels, region);
      const max = settings()["processor.max_decoded_bytes"];
      return yield* encodePart(decoder, file, { level, region, max }, form);
    }
    const read = (region: Rect): Steps<RegionPixels> =>
      work({
        here: () => pixels.find(levelPixels, region),
        async away(signal, reader) {
          const found = await decoded(reader, file, { level, region }, signal);
          const { values, isShared = false } = found;
          return values instanceof Uint8Array
            ? { values, isShared }
            : fail("internal", "Expected pixels of 8 bits.");
        },
      });
    return { ...means, read, encode };
  }
  return {
    async info(reader, signal) {
      const bytes = bytesOf(reader, signal);
      const file = await openFile(open, bytes);
      const orientation = file.hasBoxes ? orientationIn(await readMetadata(bytes)) : 1;
      const first = pageOf(file, orientation);
      kept.set(first, file, file.bytes);
      const further = file.hasBoxes ? await openFurtherCodestreams(open, bytes) : [];
      const rest = further.map((one) => {
        const page = pageOf(one, 1);
        kept.set(page, one, one.bytes);
        return page;
      });
      return { format: "jp2", pages: [first, ...rest] };
    },

    async read(reader, info, window, _plan, signal) {
      const file = await opened(reader, info, window.page, signal);
      const level = sufficient(file.levels, window);
      const region = levelRegion(level, window.region);
      const picture = await decoded(reader, file, { level, region }, signal);
      const { profile } = file.colour;
      const { space } = file.channels;
      const size = { width: region.width, height: region.height };
      const factor = 2 ** level.reduce;
      return {
        image: rasterOf(picture, {
          size,
          model: space.model,
          profile: profile === "kept" || profile === "converted" ? space.profile : undefined,
          seconds: settings()["processor.timeout"],
        }),
        size,
        covers: {
          x: region.x * factor,
          y: region.y * factor,
          width: size.width * factor,
          height: size.height * factor,
        },
      };
    },

    *recode(_file, info, part, plan) {
      const levelIn = (levels: StoredLevels) => levels[part.level];
      const drawing = yield* drawingOf(info, { page: part.page, levelIn });
      return drawing && (yield* recodeLevel(drawing, part, plan));
    },

    *scale(_file, info, part, plan) {
      const levelIn = (levels: StoredLevels) => sufficient(levels, part.window);
      const drawing = yield* drawingOf(info, { page: part.window.page, levelIn });
      const max = settings()["processor.max_decoded_bytes"];
      return drawing && (yield* scaleLevel(drawing, part, plan, max));
    },

    async explain(reader, info, { window, part }, plan, signal) {
      const file = await opened(reader, info, window.page, signal);
      const level = (part && file.levels[part.level]) ?? sufficient(file.levels, window);
      const region = part?.region ?? levelRegion(level, window.region);
      const notRecoded = whyNotThreaded(file) ?? whyNotRecoded(region, plan);
      const able = threads !== undefined && (await threads.available());
      return {
        level: file.levels.indexOf(level),
        region,
        compression: file.codestream.header.ht ? "High-Throughput JPEG 2000" : "JPEG 2000",
        ...(await surveyPart(decoder, reader, file, { level, region, signal })),
        notStored: "blocks of JPEG 2000 are not images by themselves",
        ...(notRecoded === undefined ? {} : { notRecoded }),
        ...(able
          ? {}
          : { notRecoded: "there are no threads for tiles, or they are unavailable here" }),
      };
    },
  };
};

/** The maker of a level's fast JPEGs, and the kind of its pixels; undefined where there is none. */
const toolsOf = (
  threads: TileThreads,
  file: OpenJpeg2000,
  level: Jp2Level,
): DrawingMeans | undefined => {
  if (whyNotThreaded(file) !== undefined) return undefined;
  const samples = sourcesOf(file.channels).length === 1 ? 1 : 3;
  return { threads, level, samples, profile: file.channels.space.profile };
};

/** A level of a page, counted from 0. */
interface LevelWanted {
  readonly page: number;
  readonly levelIn: (levels: StoredLevels) => Jp2Level | undefined;
}

const pageOf = ({ levels, colour }: OpenJpeg2000, orientation: Page["orientation"]): Page => {
  const [first, ...others] = levels.map(({ size, tile }) => ({ size, tile }));
  return first === undefined
    ? fail("unreadable", "Expected a JPEG 2000 with a positive size.")
    : { size: first.size, orientation, levels: [first, ...others], colour };
};

/** Why fast JPEGs cannot be made of the pixels; undefined where they can. */
const whyNotThreaded = (file: OpenJpeg2000): string | undefined => {
  if (!isReady(file)) return "the samples are not pixels of 8 bits as they are";
  if (file.colour.alpha) return "it is transparent";
  const { length } = sourcesOf(file.channels);
  return length === 1 || length === 3 ? undefined : `it has ${length} channels`;
};
