import { type FileHandle, open, rename, rm } from "node:fs/promises";
import sharp from "sharp";
import { fail } from "../core/errors.ts";
import type { Size } from "../core/geometry.ts";
import { layDirectories, type StoredLevel } from "./pyramid-directories.ts";
import { cutTile, growLevel, halveTile, type Level } from "./pyramid-level.ts";

/** How a pyramid is to be stored. */
export interface PyramidOptions {
  readonly size: Size;
  /** 1 for grey, 3 for RGB; 8 bits each. */
  readonly bands: 1 | 3;
  /** The side of a tile in pixels: a multiple of 16. */
  readonly tile: number;
  /** JPEG quality, 1 to 100; colour is kept at full resolution. */
  readonly quality: number;
  readonly signal: AbortSignal;
}

/**
 * Writes a pyramidal TIFF of JPEG tiles: each level half the one before, the last no larger than a
 * tile. `strips` gives the pixels from the top, one row of tiles at a time (the last may be lower),
 * so that only one strip of each level is in memory. The file appears whole or not at all.
 */
export const writePyramid = async (
  path: string,
  strips: AsyncIterable<Uint8Array>,
  options: PyramidOptions,
): Promise<void> => {
  const { tile } = options;
  if (!(tile >= 16 && tile % 16 === 0))
    fail("internal", `pyramid: expected a tile side that is a multiple of 16, got ${tile}`);
  const unfinished = `${path}.${process.pid}.part`;
  const file = await open(unfinished, "w");
  try {
    const output: Output = { file, end: headerRoom };
    const levels = await writeLevels(output, strips, options);
    const { header, body } = layDirectories(levels, options, output.end);
    await append(output, body);
    await file.write(header, 0, header.length, 0);
    await file.sync();
    await file.close();
    await rename(unfinished, path);
  } catch (cause) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw cause;
  }
};

/** A file that grows at its end. */
interface Output {
  readonly file: FileHandle;
  /** Where the next bytes will stand. */
  end: number;
}

/** Bytes left free for the header: what that of a BigTIFF takes, the longer of the two. */
const headerRoom = 16;

/** Writes at the end and says where that was; several may be under way at once. */
const append = async (output: Output, bytes: Uint8Array): Promise<number> => {
  const position = output.end;
  // Everything in a TIFF begins on a word boundary (TIFF 6.0 §2).
  output.end += bytes.length + (bytes.length % 2);
  await output.file.write(bytes, 0, bytes.length, position);
  return position;
};

const writeLevels = async (
  output: Output,
  strips: AsyncIterable<Uint8Array>,
  options: PyramidOptions,
): Promise<readonly StoredLevel[]> => {
  const { size, bands, tile } = options;
  const levels = levelSizes(size, tile).map((level) => growLevel(level, options));
  const full = growLevel(size, options);
  levels[0] = full;
  for await (const pixels of strips) {
    options.signal.throwIfAborted();
    const rows = pixels.length / (size.width * bands);
    const expected = Math.min(tile, size.height - full.rows);
    if (rows !== expected || rows === 0)
      fail("internal", `pyramid: expected a strip of ${expected} rows, got ${rows}`);
    full.strip.set(pixels);
    full.filled = rows;
    full.rows += rows;
    await storeStrip(output, levels, options);
  }
  if (full.rows !== size.height)
    fail("internal", `pyramid: expected ${size.height} rows of pixels, got ${full.rows}`);
  return levels.map((level) => level.stored);
};

/** Full size first; halved (rounding down, as libvips does) until one tile holds it all. */
const levelSizes = (size: Size, tile: number): readonly Size[] =>
  size.width <= tile && size.height <= tile
    ? [size]
    : [
        size,
        ...levelSizes(
          {
            width: Math.max(1, Math.floor(size.width / 2)),
            height: Math.max(1, Math.floor(size.height / 2)),
          },
          tile,
        ),
      ];

/** So many tiles are encoded at a time: as many as the pool that libvips works in has threads. */
const together = 4;

/** Stores the strip of the first level as a row of tiles, and hands it on, halved, to the rest. */
const storeStrip = async (
  output: Output,
  [level, ...smaller]: readonly Level[],
  options: PyramidOptions,
): Promise<void> => {
  if (level === undefined) return;
  const [next] = smaller;
  const { tile, signal } = options;
  const across = Math.ceil(level.stored.size.width / tile);
  for (let first = 0; first < across; first += together) {
    signal.throwIfAborted();
    const columns = Array.from({ length: Math.min(together, across - first) }, (_, n) => first + n);
    await Promise.all(
      columns.map(async (column) => {
        const bytes = await encode(cutTile(level, column), options);
        const place = level.tileRows * across + column;
        level.stored.lengths[place] = bytes.length;
        level.stored.offsets[place] = await append(output, bytes);
        if (next) halveTile(level, next, column);
      }),
    );
  }
  const { filled } = level;
  level.tileRows += 1;
  level.filled = 0;
  if (next === undefined) return;
  const { height } = next.stored.size;
  // An odd last row has no partner and is dropped, unless it is all there is.
  const halved = Math.min(Math.max(1, Math.floor(filled / 2)), height - next.rows);
  next.filled += halved;
  next.rows += halved;
  if (halved > 0 && (next.filled === tile || next.rows === height))
    await storeStrip(output, smaller, options);
};

const encode = (pixels: Uint8Array, { tile, bands, quality }: PyramidOptions): Promise<Buffer> =>
  sharp(pixels, { raw: { width: tile, height: tile, channels: bands } })
    .toColourspace(bands === 1 ? "b-w" : "srgb")
    .jpeg({
      quality,
      chromaSubsampling: "4:4:4",
      optimiseCoding: false,
      quantisationTable: 3,
    })
    .toBuffer();
