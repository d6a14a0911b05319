import type { Settings } from "../config/keys.ts";
import { fail } from "../core/errors.ts";
import type { Rect } from "../core/geometry.ts";
import type { ImageInfo } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Decoder } from "./codec.ts";
import type { Codestreams } from "./jpeg2000-file/codestreams.ts";
import { bytesOf, readMetadata } from "./jpeg2000-file/file.ts";
import {
  levelRegion,
  type StoredLevel,
  type StoredLevels,
  sufficient,
} from "./jpeg2000-file/levels.ts";
import { decodePart, isReady, type Opened, openFile, surveyPart } from "./jpeg2000-file/opened.ts";
import { orientationIn } from "./jpeg2000-file/orientation.ts";
import { rasterOf } from "./jpeg2000-file/raster.ts";
import { type Drawing, recodeLevel, scaleLevel, whyNotRecoded } from "./jpeg2000-file/threads.ts";
import { type Picture, sourcesOf } from "./jpeg2000-file/values.ts";
import type { readingKeys } from "./reading.ts";
import { ByteBound } from "./tiff-memory.ts";
import type { TileThreads } from "./tile-threads.ts";

/** Bytes of files' structures that are kept, profiles and palettes included. */
const mostKept = 16_777_216;

/**
 * Reads JPEG 2000: JP2, JPX and JPH files and bare codestreams (ISO/IEC 15444-1, -2 annex M, -15), of the
 * smallest resolution that suffices only the code-blocks that a window touches. With `threads`, plain
 * pictures become JPEGs without libvips.
 */
export const createJpeg2000Decoder = (
  settings: () => Settings<typeof readingKeys>,
  { open, decoder }: Codestreams,
  threads?: TileThreads,
): Decoder => {
  const kept = new ByteBound<ImageInfo, Opened>(mostKept);
  const opened = async (
    reader: RangeReader,
    info: ImageInfo,
    signal: AbortSignal,
  ): Promise<Opened> => {
    const before = kept.get(info);
    if (before !== undefined) return before;
    const now = await openFile(open, bytesOf(reader, signal));
    kept.set(info, now, now.bytes);
    return now;
  };
  const pixelsOf = (
    reader: RangeReader,
    file: Opened,
    part: { readonly level: StoredLevel; readonly region: Rect },
    signal: AbortSignal,
  ): Promise<Picture> => {
    const most = settings()["processor.max_decoded_bytes"];
    return decodePart(decoder, reader, file, { ...part, most, signal });
  };
  /** What threads for tiles can make JPEGs of; undefined where they cannot. */
  const drawingOf = async (
    reader: RangeReader,
    info: ImageInfo,
    levelIn: (levels: StoredLevels) => StoredLevel | undefined,
    signal: AbortSignal,
  ): Promise<Drawing | undefined> => {
    if (threads === undefined || !(await threads.available())) return undefined;
    const file = await opened(reader, info, signal);
    const level = levelIn(file.levels);
    const samples = sourcesOf(file.channels).length === 1 ? 1 : 3;
    if (level === undefined || whyNotThreaded(file) !== undefined) return undefined;
    const pixels = async (region: Rect): Promise<Uint8Array> => {
      const { values } = await pixelsOf(reader, file, { level, region }, signal);
      return values instanceof Uint8Array ? values : fail("internal", "Expected pixels of 8 bits.");
    };
    return { threads, level, samples, profile: file.channels.space.profile, pixels };
  };
  return {
    async info(reader, signal) {
      const bytes = bytesOf(reader, signal);
      const file = await openFile(open, bytes);
      const [first, ...others] = file.levels.map(({ size, tile }) => ({ size, tile }));
      if (first === undefined) return fail("unreadable", "Expected a JPEG 2000 of some size.");
      const orientation = file.hasBoxes ? orientationIn(await readMetadata(bytes)) : 1;
      const info: ImageInfo = {
        format: "jp2",
        pages: [{ size: first.size, orientation, levels: [first, ...others], colour: file.colour }],
      };
      kept.set(info, file, file.bytes);
      return info;
    },

    async read(reader, info, window, _plan, signal) {
      if (window.page > 0)
        fail("missing", `Expected a page from 1 to ${info.pages.length}, not ${window.page + 1}.`);
      const file = await opened(reader, info, signal);
      const level = sufficient(file.levels, window);
      const region = levelRegion(level, window.region);
      const picture = await pixelsOf(reader, file, { level, region }, signal);
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

    async recode(reader, info, part, plan, signal) {
      if (part.page > 0) return undefined;
      const drawing = await drawingOf(reader, info, (levels) => levels[part.level], signal);
      return drawing && recodeLevel(drawing, part, plan, signal);
    },

    async explain(reader, info, { window, part }, plan, signal) {
      const file = await opened(reader, info, signal);
      const level = (part && file.levels[part.level]) ?? sufficient(file.levels, window);
      const region = part?.region ?? levelRegion(level, window.region);
      const notRecoded = whyNotThreaded(file) ?? whyNotRecoded(region, plan);
      const able = threads !== undefined && (await threads.available());
      return {
        level: file.levels.indexOf(level),
        region,
        compression: file.codestream.header.ht ? "High-Throughput JPEG 2000" : "JPEG 2000",
        ...(await surveyPart(decoder, reader, file, { level, region, signal })),
        notStored: "blocks of JPEG 2000 are no pictures for themselves",
        ...(notRecoded === undefined ? {} : { notRecoded }),
        ...(able ? {} : { notRecoded: "there are no threads for tiles, or they cannot work here" }),
      };
    },

    async scale(reader, info, part, plan, signal) {
      if (part.window.page > 0) return undefined;
      const levelIn = (levels: StoredLevels) => sufficient(levels, part.window);
      const drawing = await drawingOf(reader, info, levelIn, signal);
      const most = settings()["processor.max_decoded_bytes"];
      return drawing && scaleLevel(drawing, part, plan, { most, signal });
    },
  };
};

/** Why the threads for tiles cannot make JPEGs of the pixels; undefined where they can. */
const whyNotThreaded = (file: Opened): string | undefined => {
  if (!isReady(file)) return "the samples are not pixels of 8 bits as they are";
  if (file.colour.alpha) return "it is transparent";
  const { length } = sourcesOf(file.channels);
  return length === 1 || length === 3 ? undefined : `it has ${length} channels`;
};
