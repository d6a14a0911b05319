import { open, rm, stat } from "node:fs/promises";
import type { Sharp } from "sharp";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";
import { wholeFile } from "../../metadata/index.ts";
import type { AssembledField } from "../../tiff/structure/index.ts";
import { headerSize } from "./directories.ts";
import { GrowingFile, type WrittenLevel } from "./finishing.ts";
import { type LibtiffLevel, libtiffLevels } from "./libtiff-levels.ts";
import type { SampleLayout } from "./samples.ts";
import { openStaged, withFullDiskNamed } from "./staging.ts";
import { allOf, concurrentTiles, jpegImages } from "./tile-encoders.ts";
import { encodingFields, libtiffOptions, spaceOf, type TileEncoding } from "./tile-encoding.ts";
import type { OutputFile } from "./vips-pyramid.ts";

/** Writes the levels of a pyramid one after the other, the full size first. */
export interface LevelEncoder {
  /**
   * Appends a staged image, which is in an uncompressed file: see `stagingEncoder` and
   * `mappedStagingEncoder`. `size` is its size in pixels.
   */
  addStaged(path: string, size: Size): Promise<WrittenLevel>;
  /** Appends an image that is not staged; absent: only staged images can be appended. */
  readonly add?: (image: Sharp) => Promise<WrittenLevel>;
  /** The fields that tiles are decoded by; once a level is written. */
  fields(): readonly AssembledField[];
  /** The file with the levels so far; once a level is written. */
  readonly output: GrowingFile;
}

/** The encoding of levels, and what writing them needs. */
export interface LevelEncoding extends TileEncoding {
  readonly layout: SampleLayout;
  /** The path of a temporary file. */
  readonly aside: string;
  readonly signal: AbortSignal;
}

/**
 * Lets libvips write the levels: the first one into the pyramid's own file, each of the others into
 * a temporary file, from which its tiles are appended. With `isEncoded`, staged images are encoded
 * as required already, and the first one is at the pyramid's path.
 */
export const libvipsLevels = (
  { file, path }: OutputFile,
  encoding: LevelEncoding,
  { isEncoded }: { readonly isEncoded: boolean },
): LevelEncoder => {
  const { layout, aside } = encoding;
  let first: LibtiffLevel | undefined;
  let output: GrowingFile | undefined;
  const write = (image: Sharp, to: string) =>
    withFullDiskNamed(() =>
      image
        .toColourspace(spaceOf(layout))
        .tiff({ ...libtiffOptions(encoding), bigtiff: true })
        .toFile(to),
    );
  /** Adds the level that is in a file. */
  const addEncoded = async (from: string): Promise<WrittenLevel> => {
    if (first !== undefined && output !== undefined)
      return appendLevel(output, from, first.jpegTables);
    first = await levelIn(from);
    output = new GrowingFile(file, (await stat(from)).size);
    return first;
  };
  const add = async (image: Sharp): Promise<WrittenLevel> => {
    const to = first === undefined ? path : aside;
    try {
      await write(image, to);
      return await addEncoded(to);
    } finally {
      await rm(aside, { force: true });
    }
  };
  return {
    add,
    addStaged: (staged) => (isEncoded ? addEncoded(staged) : add(openStaged(staged))),
    fields: () =>
      encodingFields(encoding.compression, encoding, layout, { jpegTables: first?.jpegTables }),
    get output() {
      return output ?? fail("internal", "Expected a level to be written first; there is none.");
    },
  };
};

/**
 * Writes levels of JPEG tiles that libvips would not encode as required (see `writtenByLibtiff`).
 * libvips cuts each tile from the staged file: passing rows of pixels through JavaScript takes half
 * as long again, most of it in garbage collection.
 */
export const jpegLevels = (
  { file }: Pick<OutputFile, "file">,
  encoding: LevelEncoding,
): LevelEncoder => {
  const { layout, tile, signal } = encoding;
  const { encode, fields } = jpegImages(encoding, layout);
  const output = new GrowingFile(file, headerSize);
  const addStaged = async (path: string, { width, height }: Size): Promise<WrittenLevel> => {
    const across = Math.ceil(width / tile);
    const count = across * Math.ceil(height / tile);
    const offsets = new Float64Array(count);
    const lengths = new Float64Array(count);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) {
        signal.throwIfAborted();
        const index = next++;
        const [left, top] = [(index % across) * tile, Math.floor(index / across) * tile];
        const cut = { width: Math.min(tile, width - left), height: Math.min(tile, height - top) };
        const beyond = { right: tile - cut.width, bottom: tile - cut.height };
        const image = openStaged(path).extract({ left, top, ...cut });
        if (beyond.right + beyond.bottom > 0) image.extend({ ...beyond, extendWith: "copy" });
        const bytes = await encode(image.toColourspace(spaceOf(layout)));
        offsets[index] = await output.append(bytes);
        lengths[index] = bytes.length;
      }
    };
    await allOf(Array.from({ length: concurrentTiles }, work));
    return { size: { width, height }, offsets, lengths };
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
  path: string,
  jpegTables: Uint8Array | undefined,
): Promise<WrittenLevel> => {
  const level = await levelIn(path);
  if (Buffer.compare(jpegTables ?? none, level.jpegTables ?? none) !== 0)
    return fail("internal", "Expected libtiff to use the same JPEG tables at every level.");
  const offsets = new Float64Array(level.offsets.length);
  const file = await open(path, "r");
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
