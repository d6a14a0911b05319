import { fail } from "../../core/errors.ts";
import { area, round, type Size } from "../../core/geometry.ts";
import type { HeifJxlLimits } from "./contract.ts";
import { HeifMemory, type Libheif, startLibheif } from "./libheif.ts";

/**
 * The fraction of a thread's memory for libheif: decoding an image takes about six times the memory
 * of its pixels.
 */
export const partOfLibheif = 0.75;

/** A running libheif. */
export interface Engine {
  readonly heif: Libheif;
  readonly memory: HeifMemory;
  /** Decoding options that leave transformations to us. */
  readonly options: number;
}

/** Starts libheif with its own memory. */
export const newEngine = (): Engine => {
  const heif = startLibheif();
  const memory = new HeifMemory(heif);
  const options = heif._heif_decoding_options_alloc();
  const view = memory.view(options, optionFields.strict + 1);
  view.setUint8(optionFields.ignoreTransformations, 1);
  view.setUint8(optionFields.strict, 1);
  return { heif, memory, options };
};

/** Offsets in struct heif_decoding_options: bytes, four addresses, two bytes. */
const optionFields = { ignoreTransformations: 1, strict: 21 } as const;

/** Throws where libheif cannot continue, without its own message, which may reveal internals. */
export const unreadable = (): never =>
  fail("unreadable", "Expected a HEIC image; the file is corrupt or of an unsupported kind.");

/** Throws for images, and tiles, that take too much memory once decoded. */
export const checkCost = (
  coded: Size,
  tile: Size,
  { bits, limits }: { readonly bits: number; readonly limits: HeifJxlLimits },
): void => {
  if (area(coded) > limits.pixels)
    fail(
      "unreadable",
      `Expected a HEIC image of at most ${limits.pixels} pixels; this one has ${area(coded)}.`,
    );
  const bytes = area(tile) * 4 * (bits > 8 ? 2 : 1);
  if (bytes > limits.decoded)
    fail(
      "unreadable",
      `Expected a HEIC image of at most ${limits.decoded} bytes once decoded; this one takes ${round(bytes)}.`,
    );
};
