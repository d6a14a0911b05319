import type { Metadata, SharpOptions } from "sharp";
import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import type { ImageInfo, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { complete, work } from "../../core/steps.ts";
import { checkJpegDepth } from "../containers/index.ts";
import type { JpegReducer } from "../jpeg-reduction/index.ts";
import type { Decoder } from "../shared/index.ts";
import { missingPage, vipsTitles } from "../shared/index.ts";
import type { decodingKeys } from "../shared/keys.ts";
import {
  checkCost,
  checkScan,
  isAnimated,
  lossesOf,
  pageOf,
  type VipsFormat,
  xmpOf,
} from "./description.ts";
import { readingFailed } from "./failure.ts";
import { areasOfFrames, checkWebpFrames } from "./frame-areas.ts";
import { checkLoader, inputOf, type VipsInput } from "./input.ts";
import { open } from "./opening.ts";
import { reducedInput } from "./reduced.ts";
import { ReducedRasters } from "./reduced-rasters.ts";
import { storedFile } from "./whole-file.ts";
import { isWhole } from "./wholeness.ts";

type ReadingSettings = () => Settings<typeof decodingKeys>;

/**
 * Reads one format through libvips: pages are frames, or images of one file, and each is read as
 * a whole. `reducer` reads JPEGs that are wanted much smaller; absent: libvips does.
 */
export const createVipsDecoder = (
  format: VipsFormat,
  settings: ReadingSettings,
  reducer?: JpegReducer,
): Decoder => {
  /** Of these, all pixels can be decoded except for invisible damage. */
  const whole = new WeakSet<ImageInfo>();
  /** Of these, all pixels were decoded once. */
  const decoded = new WeakSet<ImageInfo>();

  /**
   * Rejects a part of an image that would be rejected as a whole: rows above the damage are intact.
   */
  const checkRest = async (
    reader: RangeReader,
    info: ImageInfo,
    input: VipsInput,
    signal: AbortSignal,
  ): Promise<void> => {
    if ((format !== "jpg" && format !== "png") || whole.has(info)) return;
    if (!(await isWhole(format, reader, signal)))
      await decodeAll(input, format, info.pages[0], settings);
    whole.add(info);
  };

  /** Of animations, the total pixels of the frames up to each. */
  const areas = new WeakMap<ImageInfo, readonly number[]>();

  /** Rejects a frame after so many pixels that reading it would take too long. */
  const checkFrames = async (
    reader: RangeReader,
    info: ImageInfo,
    page: number,
    signal: AbortSignal,
  ): Promise<void> => {
    if (format !== "gif" && format !== "webp") return;
    const own = areas.get(info) ?? (await areasOfFrames(format, reader, maxFrames, signal));
    areas.set(info, own);
    const pixels = own[page] ?? 0;
    const max = settings()["processor.max_scanned_pixels"];
    if (pixels > max)
      fail(
        "unreadable",
        `Expected a ${vipsTitles[format]} frame that depends on at most ${max} pixels of earlier frames; this one depends on ${pixels}.`,
      );
  };

  const jpegReduction = (...wanted: Parameters<typeof reducedInput>) => {
    if (format !== "jpg") return undefined;
    const [input] = wanted;
    // libvips opens the path, but these bytes of the same file show whether it is a JPEG.
    if (typeof input !== "string") checkLoader(format, input);
    return reducedInput(...wanted);
  };

  const small = format === "jpg" && reducer ? new ReducedRasters(reducer) : undefined;

  return {
    async info(reader, signal) {
      const input = await inputOf(reader, { format, max: max(settings), signal });
      if (format === "jpg" && typeof input !== "string") checkJpegDepth(input);
      if (format === "webp") await checkWebpFrames(reader, signal);
      const metadata = await metadataOf(format, input, settings);
      signal.throwIfAborted();
      const page = pageOf(format, metadata, await xmpOf(format, { reader, metadata, signal }));
      checkScan(format, page, { metadata, max: settings()["processor.max_scanned_pixels"] });
      checkCost(format, page, { metadata, max: max(settings) });
      if (hasPictures(format, metadata))
        return { format, pages: [page, ...(await furtherPictures(input, metadata, settings))] };
      const count = isAnimated(format) ? Math.min(metadata.pages ?? 1, maxFrames) : 1;
      const further = Array.from({ length: count - 1 }, () => page);
      const losses = await lossesOf(format, { metadata, reader, signal });
      const info: ImageInfo = { format, pages: [page, ...further], ...(losses && { losses }) };
      small?.learnDensity(info, metadata.density);
      return info;
    },

    async read(reader, info, window, plan, signal) {
      const page = info.pages[window.page] ?? missingPage(window.page, info.pages.length);
      const input = await inputOf(reader, { format, max: max(settings), signal });
      const { size, colour } = page;
      const seconds = settings()["processor.timeout"];
      const raster = await small?.read(input, info, { window, plan, seconds }, signal);
      if (raster !== undefined) {
        whole.add(info);
        return raster;
      }
      if (window.page > 0) await checkFrames(reader, info, window.page, signal);
      if (area(window.region) < area(size)) await checkRest(reader, info, input, signal);
      const options: SharpOptions = {
        limitInputPixels: area(size),
        // These profiles need no conversion, which would cost as much as all the rest.
        ignoreIcc: colour.profile === "none" || colour.profile === "srgb",
        ...(isAnimated(format) ? { page: window.page, pages: 1 } : {}),
        ...(format === "avif" && window.page > 0
          ? { page: pictureAt(window.page, await metadataOf(format, input, settings)) }
          : {}),
      };
      const opening = { as: format, options, seconds };
      const covers = { x: 0, y: 0, ...size };
      const reduced = jpegReduction(input, size, { file: reader, window, plan });
      return reduced
        ? { image: open(reduced.input, opening), size: reduced.size, covers }
        : { image: open(input, opening), size, covers, halves: format === "jpg" };
    },

    *stored(file, info, part, wanted) {
      const bytes = () => storedFile(file, info, part, wanted);
      if (decoded.has(info)) return yield* bytes();
      return yield* work({
        async away(signal, reader) {
          const found = await complete(bytes(), reader, signal);
          if (found === undefined) return undefined;
          await decodeAll(found, format, info.pages[0], settings);
          decoded.add(info);
          return found;
        },
      });
    },
  };
};

/** Decodes all of an image, only to check that it can be; throws `unreadable` where it cannot. */
const decodeAll = async (
  input: VipsInput,
  format: VipsFormat,
  { size }: Page,
  settings: ReadingSettings,
): Promise<void> => {
  const { width, height } = size;
  const options: SharpOptions = { limitInputPixels: area(size), ignoreIcc: true };
  const image = open(input, { as: format, options, seconds: settings()["processor.timeout"] });
  // A JPEG decodes faster at an eighth; in others, the last pixel requires all of them.
  const min =
    format === "jpg"
      ? image.resize(Math.ceil(width / 8), Math.ceil(height / 8), {
          fit: "fill",
          kernel: "nearest",
        })
      : image.extract({ left: width - 1, top: height - 1, width: 1, height: 1 });
  try {
    await min.raw().toBuffer();
  } catch (error) {
    throw readingFailed(error, vipsTitles[format]);
  }
};

/** Maximum number of images of a file that are pages. */
const maxPictures = 100;

const hasPictures = (format: VipsFormat, { pages = 1 }: Metadata): boolean =>
  format === "avif" && pages > 1;

/**
 * libvips counts images from 0, wherever the main one is; that is page 0 here, and opened by
 * default.
 */
const pictureAt = (page: number, { pagePrimary = 0 }: Metadata): number =>
  page <= pagePrimary ? page - 1 : page;

/** The pages besides the main image. */
const furtherPictures = async (
  input: VipsInput,
  main: Metadata,
  settings: ReadingSettings,
): Promise<Page[]> => {
  const count = Math.min(main.pages ?? 1, maxPictures);
  const pages: Page[] = [];
  for (let page = 1; page < count; page++) {
    const metadata = await metadataOf("avif", input, settings, pictureAt(page, main));
    const further = pageOf("avif", metadata, undefined);
    checkScan("avif", further, { metadata, max: settings()["processor.max_scanned_pixels"] });
    checkCost("avif", further, { metadata, max: max(settings) });
    pages.push(further);
  }
  return pages;
};

/** Maximum number of frames that are pages. */
const maxFrames = 10_000;

const max = (settings: ReadingSettings): number => settings()["processor.max_decoded_bytes"];

const metadataOf = async (
  format: VipsFormat,
  input: VipsInput,
  settings: ReadingSettings,
  page?: number,
): Promise<Metadata> => {
  const options = { limitInputPixels: false, ...(page === undefined ? {} : { page }) } as const;
  try {
    const seconds = settings()["processor.timeout"];
    return await open(input, { as: format, options, seconds }).metadata();
  } catch (error) {
    throw readingFailed(error, vipsTitles[format]);
  }
};
