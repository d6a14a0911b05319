import { open, rm, stat } from "node:fs/promises";
import type { Sharp } from "sharp";
import { allOf } from "../../../core/all-of.ts";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";
import { wholeFile } from "../../metadata/index.ts";
import type { Encoder } from "../../shared/index.ts";
import type { AssembledField } from "../../tiff/structure/index.ts";
import { headerSize } from "./directories.ts";
import { GrowingFile, type WrittenLevel } from "./finishing.ts";
import { type LibtiffLevel, libtiffLevels } from "./libtiff-levels.ts";
import type { SampleLayout } from "./samples.ts";
import { StagedTiles } from "./staged-tiles.ts";
import { openStaged, withFullDiskNamed } from "./staging.ts";
import { concurrentTiles, jpegImages } from "./tile-encoders.ts";
import { encodingFields, libtiffOptions, spaceOf, type TileEncoding } from "./tile-encoding.ts";
import type { OutputFile } from "./vips-pyramid.ts";

/** Writes levels of a pyramid in one encoding, one after the other, the full size first. */
export interface LevelEncoder {
  /**
   * Appends a staged image, which is in an uncompressed file: see `stagingEncoder` and
   * `mappedStagingEncoder`. `size` is its size in pixels.
   */
  addStaged(path: string, size: Size): Promise<WrittenLevel>;
  /** Appends an image that is not staged; absent: only staged images can be appended. */
  readonly add?: (image: Sharp) => Promise<WrittenLevel>;
  /**
   * Appends an image that is in a file as `tilesEncoder` writes it; the first level's has to be the
   * pyramid's own. Absent: images have to be staged.
   */
  readonly addEncoded?: (path: string) => Promise<WrittenLevel>;
  /** The fields that tiles are decoded by; once a level is written. */
  fields(): readonly AssembledField[];
  /** The pyramid's file with the levels so far; once a level is written. */
  readonly output: GrowingFile;
}

/** The file of a pyramid. */
export interface PyramidFile extends OutputFile {
  /** Once a level is in it. */
  readonly output?: GrowingFile | undefined;
}

/** The encoding of levels, and what writing them needs. */
export interface LevelEncoding extends TileEncoding {
  readonly layout: SampleLayout;
  /** The path of a temporary file. */
  readonly aside: string;
  readonly signal: AbortSignal;
}

/**
 * Writes an image to a file as a TIFF of such tiles instead of returning its bytes, for
 * `LevelEncoder.addEncoded`.
 */
export const tilesEncoder = (path: string, encoding: TileEncoding): Encoder => ({
  async encode(image) {
    await writeTiles(image, path, encoding);
    return new Uint8Array(0);
  },
});

const writeTiles = (image: Sharp, path: string, encoding: TileEncoding): Promise<unknown> =>
  withFullDiskNamed(() => image.tiff({ ...libtiffOptions(encoding), bigtiff: true }).toFile(path));

/**
 * Lets libvips write the levels: the file's first one into the pyramid's own file, each of the
 * others into a temporary file, from which its tiles are appended.
 */
export const libvipsLevels = (
  { file, path, output: begun }: PyramidFile,
  encoding: LevelEncoding,
): LevelEncoder => {
  const { layout, aside } = encoding;
  let first: LibtiffLevel | undefined;
  let output = begun;
  const addEncoded = async (from: string): Promise<WrittenLevel> => {
    const level = await levelIn(from);
    first ??= level;
    if (output !== undefined) return appendLevel(output, { from, level }, first.jpegTables);
    output = new GrowingFile(file, (await stat(from)).size);
    return level;
  };
  const add = async (image: Sharp): Promise<WrittenLevel> => {
    const to = output === undefined ? path : aside;
    try {
      await writeTiles(image.toColourspace(spaceOf(layout)), to, encoding);
      return await addEncoded(to);
    } finally {
      await rm(aside, { force: true });
    }
  };
  return {
    add,
    addEncoded,
    addStaged: (staged) => add(openStaged(staged)),
    fields: () =>
      encodingFields(encoding.compression, encoding, layout, { jpegTables: first?.jpegTables }),
    get output() {
      return output ?? fail("internal", "Expected a level to be written first; there is none.");
    },
  };
};

/**
 * Writes levels of JPEG tiles that libvips would not encode as required (see `writtenByLibtiff`).
 * Tiles are cut here, into memory that is reused: libvips would map all of the staged file into
 * memory for each, which takes as long as encoding it.
 */
export const jpegLevels = (
  { file, output = new GrowingFile(file, headerSize) }: Omit<PyramidFile, "path">,
  encoding: LevelEncoding,
): LevelEncoder => {
  const { layout, tile, signal } = encoding;
  const { encode, fields } = jpegImages(encoding, layout);
  const { samples } = layout;
  const addStaged = async (path: string, size: Size): Promise<WrittenLevel> => {
    const across = Math.ceil(size.width / tile);
    const down = Math.ceil(size.height / tile);
    const offsets = new Float64Array(across * down);
    const lengths = new Float64Array(across * down);
    const staged = await StagedTiles.open(path, { size, samples, tile });
    /** Writes tiles of a row until there are no more. */
    const work = async (row: number, columns: Iterator<number>, room: Uint8Array) => {
      for (let next = columns.next(); !next.done; next = columns.next()) {
        signal.throwIfAborted();
        // JPEG mixes what is beyond the image into the blocks at its edges.
        staged.copy(next.value, room);
        const bytes = await encode(room);
        const index = row * across + next.value;
        offsets[index] = await output.append(bytes);
        lengths[index] = bytes.length;
      }
    };
    try {
      const rooms = Array.from(
        { length: Math.min(concurrentTiles, across) },
        () => new Uint8Array(tile * tile * samples),
      );
      for (let row = 0; row < down; row++)
        for (let first = 0; first < across; first += staged.atOnce) {
          await staged.read(row, first);
          const count = Math.min(staged.atOnce, across - first);
          const columns = Array.from({ length: count }, (_, n) => first + n).values();
          await allOf(rooms.map((room) => work(row, columns, room)));
        }
    } finally {
      await staged.close();
    }
    return { size, offsets, lengths };
  };
  return { addStaged, fields, output };
};

const levelIn = async (path: string): Promise<LibtiffLevel> => {
  const file = await open(path, "r");
  try {
    const [level] = await libtiffLevels(wholeFile(file));
    return level ?? fail("internal", "Expected libvips to write a page of tiles; it did not.");
  } finally {
    await file.close();
  }
};

/** Appends the tiles of a level from the file that libvips wrote it to. */
const appendLevel = async (
  output: GrowingFile,
  { from, level }: { readonly from: string; readonly level: LibtiffLevel },
  jpegTables: Uint8Array | undefined,
): Promise<WrittenLevel> => {
  if (Buffer.compare(jpegTables ?? none, level.jpegTables ?? none) !== 0)
    return fail("internal", "Expected libtiff to use the same JPEG tables at every level.");
  const offsets = new Float64Array(level.offsets.length);
  const file = await open(from, "r");
  try {
    for (let n = 0; n < offsets.length; n++) {
      const bytes = Buffer.allocUnsafe(level.lengths[n] ?? 0);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, level.offsets[n] ?? 0);
      if (bytesRead < bytes.length)
        return fail("internal", "Expected libvips to write whole tiles; one is cut off.");
      offsets[n] = await output.append(bytes);
    }
  } finally {
    await file.close();
  }
  return { size: level.size, offsets, lengths: level.lengths };
};

const none = new Uint8Array(0);
