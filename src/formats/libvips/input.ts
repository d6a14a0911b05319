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

/** What libvips reads from: a local file's path, or the bytes themselves. */
export type Input = string | Uint8Array;

/** Files up to this size are quicker read at once than opened many times over. */
const smallEnough = 4_194_304;

/** Where the major brand of an AVIF is, and the one that libvips knows. */
const avifMajorBrand = { at: 8, known: "avif" };

/** Gives libvips the file itself where it is local and large, else its bytes. */
export const inputOf = async (
  reader: RangeReader,
  options: { readonly format: Loader; readonly max: number; readonly signal: AbortSignal },
): Promise<Input> => {
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
 * libvips picks its loader by the bytes alone, so it is they that must say which: what is one
 * format to us must never go to the loader of another.
 */
export const checkLoader = (format: Loader, bytes: Uint8Array): void => {
  if (!beginsAs(format, bytes))
    fail(
      "unreadable",
      `Expected the data of ${withArticle(vipsTitles[format])} picture; it is none.`,
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

/** Whether a path means itself: libvips takes brackets at the end for options of its own. */
export const isPlain = (path: string): boolean => !path.endsWith("]");

const isKnownAvif = (bytes: Uint8Array): boolean => {
  const { at, known } = avifMajorBrand;
  return Buffer.from(bytes.subarray(at, at + known.length)).toString("latin1") === known;
};

/**
 * A sequence, or a file of a more general brand, holds a still image, too, but libvips looks at
 * the major brand alone.
 */
const asStill = (bytes: Uint8Array): Uint8Array => {
  if (isKnownAvif(bytes)) return bytes;
  const copy = Uint8Array.from(bytes);
  copy.set(Buffer.from(avifMajorBrand.known, "latin1"), avifMajorBrand.at);
  return copy;
};
