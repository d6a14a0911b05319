import { type FileHandle, open, stat } from "node:fs/promises";
import sharp from "sharp";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";
import { wholeFile } from "../../metadata/index.ts";
import {
  finishPyramid,
  GrowingFile,
  levelSizes,
  type PyramidExtras,
  type PyramidPlan,
  type WrittenLevel,
} from "./finishing.ts";
import { type LibtiffLevel, libtiffLevels } from "./libtiff-levels.ts";
import type { SampleLayout } from "./samples.ts";
import { paddedStagingEncoder, withFullDiskNamed } from "./staging.ts";
import { encodingFields, libtiffOptions, spaceOf, type TileEncoding } from "./tile-encoding.ts";

/** An image staged for libvips, which makes its levels. */
export interface LaidPicture {
  readonly path: string;
  readonly layout: SampleLayout;
  /** ICC, where the image has one. */
  readonly profile: Uint8Array | undefined;
}

/**
 * Writes an image to a file, extended so that every level is exactly half the one before: libvips
 * would drop an odd last column or row, which then is in no level but the first.
 */
export const layingEncoder = (path: string, size: Size, { tile }: Pick<TileEncoding, "tile">) =>
  paddedStagingEncoder(path, size, 2 ** (levelSizes({ size, tile }).length - 1));

/** The image that `layingEncoder` staged. */
export const stagedImage = async (path: string): Promise<LaidPicture> => {
  const { channels, depth, icc } = await sharp(path, { limitInputPixels: false }).metadata();
  const bits = depth === "ushort" ? 16 : 8;
  if ((channels !== 1 && channels !== 3) || (depth !== "uchar" && depth !== "ushort"))
    return fail(
      "internal",
      `Expected an image of one sample or three of 8 or 16 bits, got ${channels} of ${depth}.`,
    );
  return { path, layout: { samples: channels, bits }, profile: icc };
};

/** An output file and its path: libvips opens files itself. */
export interface OutputFile {
  readonly file: Pick<FileHandle, "write">;
  readonly path: string;
}

/**
 * Has libvips write a pyramid of a staged image, and replaces its directories: with sizes that are
 * rounded up, with levels below the first page where requested, and with metadata. Returns the
 * length in bytes.
 */
export const writeVipsPyramid = async (
  laid: LaidPicture,
  { file, path }: OutputFile,
  plan: Omit<PyramidPlan, "layout"> & TileEncoding & { readonly extras: PyramidExtras },
): Promise<number> => {
  const { layout } = laid;
  const image = sharp(laid.path, { limitInputPixels: false, ignoreIcc: true })
    .toColourspace(spaceOf(layout))
    // The header of a BigTIFF leaves room for either kind.
    .tiff({ ...libtiffOptions(plan), pyramid: true, bigtiff: true });
  await withFullDiskNamed(() => image.toFile(path));
  const found = await levelsIn(path);
  const output = new GrowingFile(file, (await stat(path)).size);
  const tables = found[0]?.jpegTables;
  const encoding = encodingFields(plan.compression, plan, layout, { jpegTables: tables });
  const levels = levelSizes(plan).map((size, n) => ({
    ...levelOf(found[n], size, plan),
    encoding,
  }));
  await finishPyramid(output, { ...plan, layout }, { levels, extras: plan.extras });
  return output.end;
};

const levelsIn = async (path: string): Promise<readonly LibtiffLevel[]> => {
  const file = await open(path, "r");
  try {
    return await libtiffLevels(wholeFile(file));
  } finally {
    await file.close();
  }
};

/** A level without the tiles that the image's own size does not need. */
const levelOf = (
  found: LibtiffLevel | undefined,
  size: Size,
  { tile }: { readonly tile: number },
): WrittenLevel => {
  if (found === undefined || found.size.width < size.width || found.size.height < size.height)
    return fail("internal", "Expected libvips to write every level of a pyramid; it did not.");
  const across = Math.ceil(size.width / tile);
  const stored = Math.ceil(found.size.width / tile);
  const count = across * Math.ceil(size.height / tile);
  const wanted = (all: ArrayLike<number>) =>
    Float64Array.from(
      { length: count },
      (_, index) => all[Math.floor(index / across) * stored + (index % across)] ?? 0,
    );
  return { size, offsets: wanted(found.offsets), lengths: wanted(found.lengths) };
};
