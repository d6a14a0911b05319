import { readSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";
import { fieldNumbers, openTiff, readDirectory, wholeFile } from "../../metadata/index.ts";
import type { Encoder } from "../../shared/index.ts";
import { tags } from "../../tiff/structure/index.ts";

/** Usual sides of the tiles of a staged image. */
const tile = 128;

/**
 * Writes an image to a file as an uncompressed tiled TIFF instead of returning its bytes, so that
 * any part of it can be read directly. libvips does that row by row, in little memory.
 */
export const stagingEncoder = (path: string, side = tile): Encoder => ({
  async encode(image) {
    await lay(image, path, side);
    return new Uint8Array(0);
  },
});

/**
 * As `stagingEncoder`, but in libvips' own format, which libvips maps into memory: reading all of it
 * once costs a fraction of a TIFF. Requires `allowStagedImages`. The path must end in `mappedSuffix`.
 */
export const mappedStagingEncoder = (path: string): Encoder => ({
  async encode(image) {
    await layMapped(image, path);
    return new Uint8Array(0);
  },
});

/** By which libvips recognises its own format. */
export const mappedSuffix = ".v";

export const layMapped = async (image: Sharp, path: string): Promise<void> => {
  await withFullDiskNamed(() => image.toFile(path));
};

/**
 * As `stagingEncoder`, but extended to the right and below to a multiple of `step`, a power of two,
 * so that repeated halving gives the same as halving the image where an odd last column or row
 * counts twice.
 */
export const paddedStagingEncoder = (path: string, size: Size, step: number): Encoder => ({
  async encode(image) {
    const beyond = (length: number): number => Math.ceil(length / step) * step - length;
    const [right, bottom] = [beyond(size.width), beyond(size.height)];
    // libvips can mirror edges itself, but holds the whole image in memory for it.
    const enlarged = right + bottom > 0 ? image.extend({ right, bottom }) : image;
    await lay(enlarged, path);
    if (right + bottom > 0) await mirrorEdges(path, size, step);
    return new Uint8Array(0);
  },
});

/** libtiff takes twice the time for a file of strips, which it writes row by row. */
export const lay = async (image: Sharp, path: string, side = tile): Promise<void> => {
  const layout = { tile: true, tileWidth: side, tileHeight: side };
  const plain = image.tiff({ compression: "none", predictor: "none", bigtiff: true, ...layout });
  await withFullDiskNamed(() => plain.toFile(path));
};

/**
 * Has libvips write a file; throws `internal` with a cause of code ENOSPC where the disk is full.
 */
export const withFullDiskNamed = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof Error && /no space left|file too large|quota/i.test(error.message)))
      throw error;
    const cause = Object.assign(new Error(error.message), { code: "ENOSPC" });
    return fail("internal", "There is no room on the disk.", cause);
  }
};

/** Opens a staged image; its profile is ignored. */
export const openStaged = (path: string): Sharp =>
  sharp(path, {
    limitInputPixels: false,
    ignoreIcc: true,
    // Mapped files are read where they are; sequential access would copy their rows to a cache.
    sequentialRead: !path.endsWith(mappedSuffix),
  });

/** The positions of a staged image's pixels. */
interface StagingLayout {
  /** Bytes per pixel. */
  readonly pixel: number;
  readonly size: Size;
  /** Position of each tile in the file, row by row. */
  readonly tiles: readonly number[];
}

/**
 * Fills the part of a staged image beyond `size`. There are many small pieces, so their writes are
 * not awaited one by one.
 */
const mirrorEdges = async (path: string, { width, height }: Size, step: number): Promise<void> => {
  const file = await open(path, "r+");
  try {
    const layout = await layoutOf(file);
    if (layout.size.width > width)
      for (let row = 0; row < height; row++) mirrorColumns(file.fd, layout, { row, width, step });
    let end = height;
    for (const rows of mirroredAfter(height, step)) {
      for (let n = 0; n < rows; n++) copyRow(file.fd, layout, end - 1 - n, end + n);
      end += rows;
    }
  } finally {
    await file.close();
  }
};

/**
 * The last columns or rows to mirror at its end, one after the other, until the length is a
 * multiple of `step`. The levels of an image and of its mirror image have the same means, and no
 * edge between them.
 */
const mirroredAfter = (length: number, step: number): readonly number[] => {
  const mirrored: number[] = [];
  let end = length;
  for (let size = 1; size < step; size *= 2)
    if ((end / size) % 2 === 1) {
      mirrored.push(size);
      end += size;
    }
  return mirrored;
};

const mirrorColumns = (
  fd: number,
  layout: StagingLayout,
  { row, width, step }: { readonly row: number; readonly width: number; readonly step: number },
): void => {
  const { pixel, size } = layout;
  const from = Math.max(0, width - step);
  const bytes = Buffer.alloc((size.width - from) * pixel);
  let end = (width - from) * pixel;
  for (const { at, length, column } of piecesOf(layout, row, from, width))
    readSync(fd, bytes, (column - from) * pixel, length, at);
  for (const columns of mirroredAfter(width, step)) {
    const edge = end;
    for (let n = 1; n <= columns; n++)
      for (let byte = 0; byte < pixel; byte++)
        bytes[end++] = bytes[edge - n * pixel + byte] as number;
  }
  for (const { at, length, column } of piecesOf(layout, row, width, size.width))
    writeSync(fd, bytes, (column - from) * pixel, length, at);
};

const copyRow = (fd: number, layout: StagingLayout, from: number, to: number): void => {
  const { pixel, size } = layout;
  const bytes = Buffer.alloc(size.width * pixel);
  for (const { at, length, column } of piecesOf(layout, from, 0, size.width))
    readSync(fd, bytes, column * pixel, length, at);
  for (const { at, length, column } of piecesOf(layout, to, 0, size.width))
    writeSync(fd, bytes, column * pixel, length, at);
};

/** The ranges of a row's pixels in a half-open range of columns: one per tile, in bytes. */
function* piecesOf({ pixel, size, tiles }: StagingLayout, row: number, from: number, to: number) {
  const across = Math.ceil(size.width / tile);
  for (let column = from; column < to; ) {
    const end = Math.min(to, column - (column % tile) + tile);
    const at = tiles[Math.floor(row / tile) * across + Math.floor(column / tile)] ?? 0;
    const inside = (row % tile) * tile + (column % tile);
    yield { at: at + inside * pixel, length: (end - column) * pixel, column };
    column = end;
  }
}

/** The positions of the tiles that libtiff wrote. */
const layoutOf = async (file: FileHandle): Promise<StagingLayout> => {
  const layout = await openTiff(wholeFile(file));
  const directory = await readDirectory(layout, layout.first);
  const numbers = async (tag: number): Promise<readonly number[]> =>
    (await fieldNumbers(layout, directory, tag)) ??
    fail("internal", `Expected libtiff to write field ${tag}; it did not.`);
  const [width = 0] = await numbers(tags.imageWidth);
  const [height = 0] = await numbers(tags.imageLength);
  const [bits = 8] = await numbers(tags.bitsPerSample);
  const [samples = 1] = await numbers(tags.samplesPerPixel);
  const tiles = await numbers(tags.tileOffsets);
  return { pixel: (samples * bits) / 8, size: { width, height }, tiles };
};
