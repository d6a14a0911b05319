import type { Size } from "../../src/core/geometry.ts";
import { grids } from "./grids.ts";

/**
 * Where the manifest is overridden, and why: by other decoders than ours, or by a format's
 * standard.
 */
export interface Otherwise {
  readonly why: string;
  readonly size?: Size;
  /** 48 numbers in hexadecimal, or that there is no agreed answer. */
  readonly grid?: string;
  readonly pages?: number;
  /** Whether it may be refused, though the manifest expects an image. */
  readonly refused?: true;
  /** Whether it may be shown, though the manifest expects a refusal. */
  readonly shown?: true;
}

export const noGrid = "none";

const noScale: Otherwise = {
  why: "floating point or 16 bits without an agreed scale",
  grid: noGrid,
};

const stillFirst: Otherwise = { why: "its still image is none of its frames", pages: 3 };

/**
 * JPEG 2000 corrupt in the middle of its coded data: the intact part is shown, as OpenJPEG does by
 * default.
 */
const damagedWithin: Otherwise = { why: "damaged data: the intact part is shown", shown: true };

const exceptions: Readonly<Record<string, Otherwise>> = {
  "avif/kimono.crop.avif": {
    why: "the manifest's tool ignores its clean aperture",
    size: { width: 385, height: 330 },
    grid: noGrid,
  },
  "avif/kimono.rotate90.avif": {
    why: "the manifest's tool reports the size before rotation",
    size: { width: 722, height: 1_024 },
  },
  "gif/beacon_icc.gif": {
    why: "a table-based profile that engines interpret differently",
    grid: noGrid,
  },
  "gif/gif-xmp-orientation-90.gif": {
    why: "rotated by its XMP, which the manifest's tool does not read",
    grid: noGrid,
  },
  "heic/MIAF006.heic": {
    why: "the frames of its sequence are pages if FFmpeg is installed",
    pages: 3,
  },
  "heic/multilayer002.heic": {
    why: "the data of its sixth image is beyond the end of the file",
    pages: 5,
  },
  "jpeg/sample-xyb.jpg": {
    why: "a table-based profile that engines interpret differently",
    grid: noGrid,
  },
  "jpeg/ultrahdr.jpg": {
    why: "its last scan lines are missing, and half images are not shown",
    refused: true,
  },
  "jxl/cmyk_layers.jxl": { why: "CMYK JPEG XL is not supported", refused: true },
  "png/apng/blend_op_over.png": stillFirst,
  "png/apng/blend_op_source_near_transparent.png": stillFirst,
  "png/apng/blend_op_source_transparent.png": stillFirst,
  "png/apng/delay_round.png": stillFirst,
  "png/apng/delay_zero_denom.png": stillFirst,
  "png/png-rotated.png": {
    why: "rotated by its XMP, which the manifest's tool does not read",
    grid: noGrid,
  },
  "tiff/float.tif": noScale,
  "tiff/floatingpoint-16bit.tif": noScale,
  "tiff/int16_zstd.tif": noScale,
  "tiff/pyramid/cog_scale.tif": noScale,
  "tiff/pyramid/derived-jp2k-t128-page.tif": {
    why: "the manifest's tool shows its YCbCr as RGB",
    grid: noGrid,
  },
  "tiff/pyramid/tiff_with_subifd_chain.tif": {
    why: "its reduced levels have a different grey",
    grid: noGrid,
  },
  "malformed/2236.pdf.SIGSEGV.398.1376.jp2": damagedWithin,
  "malformed/crash-7d4c83eb92150fb8f1653a697703ae06ae7c4998.j2k": damagedWithin,
  "malformed/mem-b2b86b74-2753.jp2": damagedWithin,
  "malformed/multi_tile_truncated_rgb.jp2": damagedWithin,
  "malformed/pdf-count-2147483647.pdf": {
    why: "claims two billion pages and has one, which is intact",
    shown: true,
  },
};

/** Facts about a file besides its entry in the manifest. */
export const otherwise = (path: string): Otherwise | undefined => {
  const grid = grids[path];
  return grid === undefined
    ? exceptions[path]
    : { why: "the manifest's colours differ from the file's values", grid, ...exceptions[path] };
};
