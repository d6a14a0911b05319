import sharp, { type Metadata, type Sharp, type SharpOptions } from "sharp";
import type { Settings } from "../config/keys.ts";
import { withArticle } from "../core/article.ts";
import { fail } from "../core/errors.ts";
import { type FormatName, formats } from "../core/formats.ts";
import { area, round } from "../core/geometry.ts";
import type { Colour, ImageInfo, Page } from "../core/info.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { complete, work } from "../core/steps.ts";
import type { Decoder } from "./codec.ts";
import { areasOfFrames, checkWebpFrames } from "./frame-areas.ts";
import { profileOf } from "./icc.ts";
import { checkJpegDepth } from "./jpeg-depth.ts";
import { orientationInXmp, orientationOf } from "./orientation.ts";
import type { readingKeys } from "./reading.ts";
import { readingFailed } from "./vips-failure.ts";
import { checkLoader, type Input, inputOf } from "./vips-input.ts";
import { storedFile } from "./whole-file.ts";
import { isWhole } from "./wholeness.ts";

type ReadingSettings = () => Settings<typeof readingKeys>;

/** The formats that libvips reads by itself. */
export type VipsFormat = "jpg" | "png" | "gif" | "webp" | "avif";

/** Reads one format through libvips: pages are frames, or pictures of one file, and each is read as a whole. */
export const createVipsDecoder = (format: VipsFormat, settings: ReadingSettings): Decoder => {
  /** Of these, it is known that all can be decoded that is not damaged in a way which nobody sees. */
  const whole = new WeakSet<ImageInfo>();
  /** Of these, all was decoded. */
  const decoded = new WeakSet<ImageInfo>();

  /** Refuses a part of a picture that would be refused as a whole: rows above some damage are as they should be. */
  const checkRest = async (
    reader: RangeReader,
    info: ImageInfo,
    input: Input,
    signal: AbortSignal,
  ): Promise<void> => {
    if ((format !== "jpg" && format !== "png") || whole.has(info)) return;
    if (!(await isWhole(format, reader, signal)))
      await decodeAll(input, format, info.pages[0], settings);
    whole.add(info);
  };

  /** Of animations, the pixels of the frames up to each. */
  const areas = new WeakMap<ImageInfo, readonly number[]>();

  /** Refuses a frame behind so many pixels that reading it would take too long. */
  const checkFrames = async (
    reader: RangeReader,
    info: ImageInfo,
    page: number,
    signal: AbortSignal,
  ): Promise<void> => {
    if (format !== "gif" && format !== "webp") return;
    const own = areas.get(info) ?? (await areasOfFrames(format, reader, mostFrames, signal));
    areas.set(info, own);
    const pixels = own[page] ?? 0;
    const most = settings()["processor.max_scanned_pixels"];
    if (pixels > most)
      fail(
        "unreadable",
        `Expected a frame of ${withArticle(formats[format].name)} behind at most ${most} pixels of others; this one is behind ${pixels}.`,
      );
  };

  return {
    async info(reader, signal) {
      const input = await inputOf(reader, { format, most: most(settings), signal });
      if (format === "jpg" && typeof input !== "string") checkJpegDepth(input);
      if (format === "webp") await checkWebpFrames(reader, signal);
      const metadata = await metadataOf(format, input, settings);
      signal.throwIfAborted();
      const page = pageOf(format, metadata, await xmpOf(format, { reader, metadata, signal }));
      checkScan(format, page, { metadata, most: settings()["processor.max_scanned_pixels"] });
      checkCost(format, page, { metadata, most: most(settings) });
      if (hasPictures(format, metadata))
        return { format, pages: [page, ...(await furtherPictures(input, metadata, settings))] };
      const count = isAnimated(format) ? Math.min(metadata.pages ?? 1, mostFrames) : 1;
      return { format, pages: [page, ...Array.from({ length: count - 1 }, () => page)] };
    },

    async read(reader, info, window, _plan, signal) {
      const page = info.pages[window.page] ?? missingPage(window.page, info);
      const input = await inputOf(reader, { format, most: most(settings), signal });
      const { size, colour } = page;
      if (window.page > 0) await checkFrames(reader, info, window.page, signal);
      if (area(window.region) < area(size)) await checkRest(reader, info, input, signal);
      const options: SharpOptions = {
        limitInputPixels: area(size),
        // Nothing is to be done for these profiles, and converting costs as much as all the rest.
        ignoreIcc: colour.profile === "none" || colour.profile === "srgb",
        ...(isAnimated(format) ? { page: window.page, pages: 1 } : {}),
        ...(format === "avif" && window.page > 0
          ? { page: pictureAt(window.page, await metadataOf(format, input, settings)) }
          : {}),
      };
      return {
        image: open(input, { as: format, options, seconds: settings()["processor.timeout"] }),
        size,
        covers: { x: 0, y: 0, ...size },
        halves: format === "jpg",
      };
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

/** Decodes all of a picture, for nothing but to see whether that can be done; throws `unreadable` where it cannot. */
const decodeAll = async (
  input: Input,
  format: VipsFormat,
  { size }: Page,
  settings: ReadingSettings,
): Promise<void> => {
  const { width, height } = size;
  const options: SharpOptions = { limitInputPixels: area(size), ignoreIcc: true };
  const image = open(input, { as: format, options, seconds: settings()["processor.timeout"] });
  // A JPEG is quicker to decode at an eighth; of others, the last pixel is only there once all are.
  const least =
    format === "jpg"
      ? image.resize(Math.ceil(width / 8), Math.ceil(height / 8), {
          fit: "fill",
          kernel: "nearest",
        })
      : image.extract({ left: width - 1, top: height - 1, width: 1, height: 1 });
  try {
    await least.raw().toBuffer();
  } catch (error) {
    throw readingFailed(error, format);
  }
};

/** Pictures of a file beyond this many are no pages. */
const mostPictures = 100;

const hasPictures = (format: VipsFormat, { pages = 1 }: Metadata): boolean =>
  format === "avif" && pages > 1;

/** libvips counts pictures from 0, whichever is the main one; that is page 0 here, and opened unless another is asked for. */
const pictureAt = (page: number, { pagePrimary = 0 }: Metadata): number =>
  page <= pagePrimary ? page - 1 : page;

/** The pages beside the main picture. */
const furtherPictures = async (
  input: Input,
  main: Metadata,
  settings: ReadingSettings,
): Promise<Page[]> => {
  const count = Math.min(main.pages ?? 1, mostPictures);
  const pages: Page[] = [];
  for (let page = 1; page < count; page++) {
    const metadata = await metadataOf("avif", input, settings, pictureAt(page, main));
    const further = pageOf("avif", metadata, undefined);
    checkScan("avif", further, { metadata, most: settings()["processor.max_scanned_pixels"] });
    checkCost("avif", further, { metadata, most: most(settings) });
    pages.push(further);
  }
  return pages;
};

/** How libvips is to open something. */
interface Opening {
  /** What the bytes are; nothing for plain pixels. */
  readonly as?: FormatName;
  readonly options: SharpOptions;
  /** For all that is done with it; 0 for no limit. */
  readonly seconds: number;
}

/**
 * Opens what libvips can read with the server's safety settings; nothing is decoded yet. Throws `unreadable` where
 * bytes are not what they are opened as.
 */
export const open = (input: Input, { as, options, seconds }: Opening): Sharp => {
  if (as !== undefined && typeof input !== "string") checkLoader(as, input);
  return sharp(input, { failOn: "error", ...options }).timeout({ seconds });
};

/** Frames beyond this many are no pages. */
const mostFrames = 10_000;

const most = (settings: ReadingSettings): number => settings()["processor.max_decoded_bytes"];

const isAnimated = (format: VipsFormat): boolean => format === "gif" || format === "webp";

const metadataOf = async (
  format: VipsFormat,
  input: Input,
  settings: ReadingSettings,
  page?: number,
): Promise<Metadata> => {
  const options = { limitInputPixels: false, ...(page === undefined ? {} : { page }) } as const;
  try {
    const seconds = settings()["processor.timeout"];
    return await open(input, { as: format, options, seconds }).metadata();
  } catch (error) {
    throw readingFailed(error, format);
  }
};

const pageOf = (format: VipsFormat, metadata: Metadata, xmp: Uint8Array | undefined): Page => {
  const size = { width: metadata.width, height: metadata.pageHeight ?? metadata.height };
  if (!(size.width > 0) || !(size.height > 0))
    fail("unreadable", `Expected ${withArticle(formats[format].name)} picture of some size.`);
  const model = models[metadata.space] ?? "other";
  const colour: Colour = {
    bits: bitsOf(metadata),
    model,
    alpha: metadata.hasAlpha,
    profile: profileOf(metadata.icc, model),
  };
  return {
    size,
    // AVIF has turned itself upright by its own boxes; Exif only repeats them.
    orientation:
      format === "avif"
        ? 1
        : metadata.orientation === undefined
          ? orientationInXmp(xmp)
          : orientationOf(metadata.orientation),
    levels: [{ size, tile: size }],
    colour,
    ...(metadata.isProgressive && { progressive: true }),
  };
};

const models: Readonly<Partial<Record<string, Colour["model"]>>> = {
  "b-w": "grey",
  grey16: "grey",
  srgb: "rgb",
  rgb: "rgb",
  rgb16: "rgb",
  scrgb: "rgb",
  cmyk: "cmyk",
  lab: "lab",
  labs: "lab",
};

const bitsOf = (metadata: Metadata): number => {
  const held = metadata.depth === "ushort" || metadata.depth === "short" ? 16 : 8;
  return Math.min(held, metadata.bitsPerSample ?? held);
};

/** Refuses what would take too long to read through, however little memory it needs. */
const checkScan = (
  format: VipsFormat,
  { size, colour }: Page,
  { metadata, most }: { readonly metadata: Metadata; readonly most: number },
): void => {
  const bytes = metadata.channels * (colour.bits > 8 ? 2 : 1);
  const mostHere = bytes > usualBytes ? most / 2 : most;
  if (area(size) > mostHere)
    fail(
      "unreadable",
      `Expected ${withArticle(formats[format].name)} picture of at most ${mostHere} pixels; this one has ${area(size)}.`,
    );
};

/** Pixels of more bytes count twice. */
const usualBytes = 4;

/** Refuses what has to be decoded whole and would take too much memory. */
const checkCost = (
  format: VipsFormat,
  page: Page,
  { metadata, most }: { readonly metadata: Metadata; readonly most: number },
): void => {
  const samples = isAnimated(format) ? 4 : Math.max(metadata.channels, 3);
  const bytesPerSample =
    page.colour.bits > 8 || (format === "jpg" && metadata.isProgressive) ? 2 : 1;
  const bytes = area(page.size) * samples * bytesPerSample;
  const whole = wholeFormats.has(format) || metadata.isProgressive;
  if (whole && bytes > most)
    fail(
      "unreadable",
      `Expected ${withArticle(formats[format].name)} picture of at most ${most} bytes once decoded; this one takes ${round(bytes)}.`,
    );
};

const wholeFormats: ReadonlySet<FormatName> = new Set<FormatName>(["gif", "webp", "avif"]);

const gifXmp = Buffer.from("XMP DataXMP", "latin1");
const longestXmp = 65_536;
const longestGifSearch = 16_777_216;

/** libvips hands XMP out, except that of GIF, which is plain text between two marks. */
const xmpOf = async (
  format: VipsFormat,
  { reader, metadata, signal }: { reader: RangeReader; metadata: Metadata; signal: AbortSignal },
): Promise<Uint8Array | undefined> => {
  if (format !== "gif") return metadata.xmp;
  const bytes = await reader.read(0, Math.min(reader.size, longestGifSearch), signal);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = buffer.indexOf(gifXmp);
  return at < 0 ? undefined : buffer.subarray(at, at + longestXmp);
};

const missingPage = (page: number, info: ImageInfo): never =>
  fail("missing", `Expected a page from 1 to ${info.pages.length}, not ${page + 1}.`);
