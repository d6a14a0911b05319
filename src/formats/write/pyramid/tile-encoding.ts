import type { TiffOptions } from "sharp";
import {
  type AssembledField,
  compressions,
  longs,
  photometrics,
  plainBytes,
  shorts,
  tags,
  types,
} from "../../tiff/structure/index.ts";
import { subsamplingOf, type TileCompression } from "../index.ts";

import { hasAlpha, type SampleLayout } from "./samples.ts";

/** The encoding of tiles. */
export interface TileEncoding {
  readonly compression: TileCompression;
  /** Of JPEG and WebP, 1 to 100. */
  readonly quality: number;
  /** Both sides of a tile, in pixels. */
  readonly tile: number;
}

/** Whether a compression is lossless, and so preserves 16 bits and everything else. */
export const isLossless = (compression: TileCompression): boolean =>
  compression !== "jpeg" && compression !== "webp";

/** Number of channels of a compression's tiles for an image with so many. */
export const samplesFor = (
  compression: TileCompression,
  samples: SampleLayout["samples"],
): SampleLayout["samples"] => {
  if (compression === "jpeg") return samples < 3 ? 1 : 3;
  return compression === "webp" ? (hasAlpha({ samples }) ? 4 : 3) : samples;
};

/** libvips' name of the colour space for samples that must not be converted. */
export const spaceOf = ({ samples, bits }: SampleLayout): "srgb" | "b-w" | "rgb16" | "grey16" => {
  if (bits === 16) return samples < 3 ? "grey16" : "rgb16";
  return samples < 3 ? "b-w" : "srgb";
};

/**
 * Whether libtiff writes such tiles as required. It writes JPEG of full chroma resolution as RGB,
 * which is about twice as large as YCbCr.
 */
export const writtenByLibtiff = (
  { compression, quality }: TileEncoding,
  { samples }: Pick<SampleLayout, "samples">,
): boolean =>
  compression === "jpeg"
    ? samples === 1 || isHalved(quality)
    : compression === "deflate" || compression === "lzw" || compression === "none";

/** sharp's options for a TIFF of such tiles; see `writtenByLibtiff`. */
export const libtiffOptions = ({ compression, quality, tile }: TileEncoding): TiffOptions => ({
  compression:
    compression === "jpeg" ||
    compression === "webp" ||
    compression === "lzw" ||
    compression === "none"
      ? compression
      : "deflate",
  predictor: compression === "deflate" || compression === "lzw" ? "horizontal" : "none",
  quality,
  tile: true,
  tileWidth: tile,
  tileHeight: tile,
});

/** The fields that tiles are decoded by. */
export const encodingFields = (
  compression: TileCompression,
  { quality }: Pick<TileEncoding, "quality">,
  layout: SampleLayout,
  /** Shared by JPEG tiles; absent where each has its own. */
  { jpegTables }: { readonly jpegTables?: Uint8Array | undefined } = {},
): readonly AssembledField[] => {
  const isColour = layout.samples >= 3;
  if (compression === "webp")
    return [compressed(compressions.webp), shorts(tags.photometric, photometrics.rgb)];
  if (compression === "jpeg") {
    return [
      compressed(compressions.jpeg),
      shorts(tags.photometric, isColour ? photometrics.yCbCr : photometrics.blackIsZero),
      ...(jpegTables ? [plainBytes(tags.jpegTables, types.undefined, jpegTables)] : []),
      ...(isColour ? colourFields(isHalved(quality)) : []),
    ];
  }
  return [
    compressed(compressions[compression]),
    ...(compression === "none" ? [] : [predicted]),
    shorts(tags.photometric, isColour ? photometrics.rgb : photometrics.blackIsZero),
  ];
};

/** Whether JPEG tiles have chroma at half resolution. */
const isHalved = (quality: number): boolean => subsamplingOf(quality) === "4:2:0";

const compressed = (value: number): AssembledField => shorts(tags.compression, value);

/** Rows are stored as differences (TIFF 6.0, section 14). */
const predicted = shorts(tags.predictor, 2);

/** The sampling and meaning of full-range YCbCr (TIFF 6.0, sections 20 and 21). */
const colourFields = (halved: boolean): readonly AssembledField[] => {
  const range = longs(
    tags.referenceBlackWhite,
    ...[0, 255, 128, 255, 128, 255].flatMap((n) => [n, 1]),
  );
  return [
    shorts(tags.yCbCrSubSampling, ...(halved ? [2, 2] : [1, 1])),
    { ...range, type: types.rational, count: 6 },
  ];
};
