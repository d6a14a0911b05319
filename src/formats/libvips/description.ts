import type { Metadata } from "sharp";
import { withArticle } from "../../core/article.ts";
import { fail } from "../../core/errors.ts";
import { area, round } from "../../core/geometry.ts";
import type { Colour, Losses, Page } from "../../core/info.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { isLosslessWebp, profileOf } from "../containers/index.ts";
import { orientationInXmp, orientationOf, vipsTitles } from "../shared/index.ts";

/** The formats that libvips reads by itself. */
export type VipsFormat = "jpg" | "png" | "gif" | "webp" | "avif";

/** Whether the pages of a format are frames of an animation. */
export const isAnimated = (format: VipsFormat): boolean => format === "gif" || format === "webp";

/**
 * Describes a page by its metadata; `xmp` may contain its orientation. Throws `unreadable` for a
 * page without a size.
 */
export const pageOf = (
  format: VipsFormat,
  metadata: Metadata,
  xmp: Uint8Array | undefined,
): Page => {
  const size = { width: metadata.width, height: metadata.pageHeight ?? metadata.height };
  if (!(size.width > 0) || !(size.height > 0))
    fail("unreadable", `Expected ${withArticle(vipsTitles[format])} image with a positive size.`);
  const model = models[metadata.space] ?? "other";
  const colour: Colour = {
    bits: bitsOf(metadata),
    model,
    alpha: metadata.hasAlpha,
    profile: profileOf(metadata.icc, model),
  };
  return {
    size,
    // libvips rotates AVIF by its own boxes; Exif only repeats them.
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

/**
 * What the encoding of a file has lost, if less than its format loses in general; undefined
 * otherwise. Throws failures of reading.
 */
export const lossesOf = async (
  format: VipsFormat,
  { metadata, reader, signal }: MetadataSource,
): Promise<Losses | undefined> => {
  if (format === "webp") {
    const start = await reader.read(0, Math.min(reader.size, webpHeaders), signal);
    return isLosslessWebp(start) ? "none" : undefined;
  }
  const isFull = metadata.space === "b-w" || metadata.chromaSubsampling?.startsWith("4:4:4");
  return format === "jpg" && isFull ? "accuracy" : undefined;
};

/** Bytes before the pixels of a WebP, unless its profile is large. */
const webpHeaders = 65_536;

interface MetadataSource {
  readonly metadata: Metadata;
  readonly reader: RangeReader;
  readonly signal: AbortSignal;
}

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

/** Throws `unreadable` for a page of more than `max` pixels, which would take too long to scan. */
export const checkScan = (
  format: VipsFormat,
  { size, colour }: Page,
  { metadata, max }: { readonly metadata: Metadata; readonly max: number },
): void => {
  const bytes = metadata.channels * (colour.bits > 8 ? 2 : 1);
  const maxHere = bytes > usualBytes ? max / 2 : max;
  if (area(size) > maxHere)
    fail(
      "unreadable",
      `Expected ${withArticle(vipsTitles[format])} image of at most ${maxHere} pixels; this one has ${area(size)}.`,
    );
};

/** Pixels of more bytes count double. */
const usualBytes = 4;

/** Throws `unreadable` for a page that must be decoded whole into more than `max` bytes. */
export const checkCost = (
  format: VipsFormat,
  page: Page,
  { metadata, max }: { readonly metadata: Metadata; readonly max: number },
): void => {
  const samples = isAnimated(format) ? 4 : Math.max(metadata.channels, 3);
  const bytesPerSample =
    page.colour.bits > 8 || (format === "jpg" && metadata.isProgressive) ? 2 : 1;
  const bytes = area(page.size) * samples * bytesPerSample;
  const whole = wholeFormats.has(format) || metadata.isProgressive;
  if (whole && bytes > max)
    fail(
      "unreadable",
      `Expected ${withArticle(vipsTitles[format])} image of at most ${max} bytes once decoded; this one takes ${round(bytes)}.`,
    );
};

const wholeFormats: ReadonlySet<VipsFormat> = new Set<VipsFormat>(["gif", "webp", "avif"]);

const gifXmp = Buffer.from("XMP DataXMP", "latin1");
const longestXmp = 65_536;
const longestGifSearch = 16_777_216;

/**
 * The XMP packet of an image. libvips does not extract that of GIF, which is plain text between
 * two marks.
 */
export const xmpOf = async (
  format: VipsFormat,
  { reader, metadata, signal }: MetadataSource,
): Promise<Uint8Array | undefined> => {
  if (format !== "gif") return metadata.xmp;
  const bytes = await reader.read(0, Math.min(reader.size, longestGifSearch), signal);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = buffer.indexOf(gifXmp);
  return at < 0 ? undefined : buffer.subarray(at, at + longestXmp);
};
