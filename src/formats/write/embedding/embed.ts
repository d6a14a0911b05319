import type { FormatName } from "../../../core/formats.ts";
import { embedInAvif } from "./avif.ts";
import type { Embed, EmbeddedBlocks } from "./blocks.ts";
import { embedInJp2, embedInJxl } from "./boxes.ts";
import { embedInGif } from "./gif.ts";
import { embedInJpeg } from "./jpeg.ts";
import { embedInPng } from "./png.ts";
import { embedInTiff } from "./tiff.ts";
import { embedInWebp } from "./webp.ts";

/** Whether metadata can be written into images of a format. */
export const carriesMetadata = (format: FormatName): boolean => embedders[format] !== undefined;

/**
 * A finished image with blocks of metadata: as far as its format can hold them, and otherwise
 * unchanged. The pixels are not touched. Throws `internal` where the image is not of the format.
 */
export const embed = (
  picture: Uint8Array,
  format: FormatName,
  blocks: EmbeddedBlocks,
): Uint8Array => embedders[format]?.(picture, blocks) ?? picture;

const embedders: Readonly<Partial<Record<FormatName, Embed>>> = {
  jpg: embedInJpeg,
  png: embedInPng,
  tif: embedInTiff,
  webp: embedInWebp,
  gif: embedInGif,
  avif: embedInAvif,
  jp2: embedInJp2,
  jxl: embedInJxl,
};
