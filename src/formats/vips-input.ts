import { withArticle } from "../core/article.ts";
import { fail } from "../core/errors.ts";
import { type FormatName, formats } from "../core/formats.ts";
import type { RangeReader } from "../core/range-reader.ts";
import { areTextsLong, withoutTexts } from "./png-texts.ts";
import { beginsAs } from "./sniff.ts";

/** What libvips reads from: a local file's path, or the bytes themselves. */
export type Input = string | Uint8Array;

/** Files up to this size are quicker read at once than opened many times over. */
const smallEnough = 4_194_304;

const avifMajorBrand = { at: 8, sequence: "avis", still: "avif" };

/** Gives libvips the file itself where it is local and large, else its bytes. */
export const inputOf = async (
  reader: RangeReader,
  options: { readonly format: FormatName; readonly most: number; readonly signal: AbortSignal },
): Promise<Input> => {
  const { format, most, signal } = options;
  const { path, size } = reader;
  const hasLongTexts = format === "png" && (await areTextsLong(reader, signal));
  if (path !== undefined && size > smallEnough && isPlain(path) && !hasLongTexts) {
    checkLoader(format, await reader.read(0, beginning, signal));
    return path;
  }
  if (size > most)
    return fail(
      "unreadable",
      `Expected ${withArticle(formats[format].name)} of at most ${most} bytes; this one has ${size}.`,
    );
  const bytes = await reader.read(0, size, signal);
  if (hasLongTexts) return withoutTexts(bytes);
  return format === "avif" ? asStill(bytes) : bytes;
};

/** Bytes by which a format is known. */
const beginning = 256;

/**
 * libvips picks its loader by the bytes alone, so it is they that must say which: what is one format to us must
 * never go to the loader of another.
 */
export const checkLoader = (format: FormatName, bytes: Uint8Array): void => {
  if (!beginsAs(format, bytes))
    fail(
      "unreadable",
      `Expected the data of ${withArticle(formats[format].name)} picture; it is none.`,
    );
};

/** Whether a path means itself: libvips takes brackets at the end for options of its own. */
export const isPlain = (path: string): boolean => !path.endsWith("]");

/** A sequence holds a still picture too, but libvips only looks for one in files that say so. */
const asStill = (bytes: Uint8Array): Uint8Array => {
  const { at, sequence, still } = avifMajorBrand;
  const brand = Buffer.from(bytes.subarray(at, at + sequence.length)).toString("latin1");
  if (brand !== sequence) return bytes;
  const copy = Uint8Array.from(bytes);
  copy.set(Buffer.from(still, "latin1"), at);
  return copy;
};
