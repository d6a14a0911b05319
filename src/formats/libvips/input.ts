import { withArticle } from "../../core/article.ts";
import { fail } from "../../core/errors.ts";
import { localPath, type RangeReader } from "../../core/range-reader.ts";
import {
  areTextsLong,
  isAvif,
  isGif,
  isJpeg,
  isPng,
  isSvg,
  isTiff,
  isWebp,
  signatureBytes,
  withoutTexts,
} from "../containers/index.ts";
import { vipsTitles } from "../shared/index.ts";

/** The formats whose loaders of libvips are used. */
export type Loader = keyof typeof vipsTitles;

/** libvips' input: a local file's path, or the bytes themselves. */
export type VipsInput = string | Uint8Array;

/** Files up to this size are faster to read once than to open repeatedly. */
const smallEnough = 4_194_304;

/** The position of an AVIF's major brand, and the brand that libvips knows. */
const avifMajorBrand = { at: 8, known: "avif" };

/** Gives libvips the path of a large local file, else its bytes. */
export const inputOf = async (
  reader: RangeReader,
  options: { readonly format: Loader; readonly max: number; readonly signal: AbortSignal },
): Promise<VipsInput> => {
  const { format, max, signal } = options;
  const { size } = reader;
  const path = size > smallEnough ? await localPath(reader, signal) : undefined;
  const hasLongTexts = format === "png" && (await areTextsLong(reader, signal));
  if (path !== undefined && isPlain(path) && !hasLongTexts) {
    const start = await reader.read(0, signatureBytes, signal);
    checkLoader(format, start);
    if (format !== "avif" || isKnownAvif(start)) return path;
  }
  if (size > max)
    return fail(
      "unreadable",
      `Expected ${withArticle(vipsTitles[format])} of at most ${max} bytes; this one has ${size}.`,
    );
  const bytes = await reader.read(0, size, signal);
  if (hasLongTexts) return withoutTexts(bytes);
  return format === "avif" ? asStill(bytes) : bytes;
};

/**
 * libvips selects its loader by the bytes alone, so our detection must agree: a file of one format
 * must never be read by another's loader.
 */
export const checkLoader = (format: Loader, bytes: Uint8Array): void => {
  if (!beginsAs(format, bytes))
    fail(
      "unreadable",
      `Expected ${withArticle(vipsTitles[format])} image; the data is in another format.`,
    );
};

const beginsAs = (format: Loader, bytes: Uint8Array): boolean =>
  signatures[format](
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, signatureBytes)),
  );

const signatures = {
  jpg: isJpeg,
  png: isPng,
  gif: isGif,
  webp: isWebp,
  avif: isAvif,
  tif: isTiff,
  svg: isSvg,
} as const;

/** Whether a path is literal: libvips interprets brackets at the end as options. */
export const isPlain = (path: string): boolean => !path.endsWith("]");

const isKnownAvif = (bytes: Uint8Array): boolean => {
  const { at, known } = avifMajorBrand;
  return Buffer.from(bytes.subarray(at, at + known.length)).toString("latin1") === known;
};

/**
 * A sequence, or a file of a more general brand, contains a still image, too, but libvips checks
 * the major brand alone.
 */
const asStill = (bytes: Uint8Array): Uint8Array => {
  if (isKnownAvif(bytes)) return bytes;
  const copy = Uint8Array.from(bytes);
  copy.set(Buffer.from(avifMajorBrand.known, "latin1"), avifMajorBrand.at);
  return copy;
};
