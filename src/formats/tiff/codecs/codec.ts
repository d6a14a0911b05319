import { endianness } from "node:os";
import type { SampleJob } from "./sample-job.ts";

/** Samples as numbers, pixel by pixel, row after row without gaps. */
export type Numbers =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/**
 * What comes of a stored tile: the bytes that an uncompressed one has, its predictor still in
 * force, or numbers.
 */
export type Decoded = { readonly bytes: Uint8Array } | { readonly samples: Numbers };

/**
 * Undoes one compression on the calling thread. What comes out at once may be written over with the
 * next call; what is promised has memory of its own. Throws where the tile is damaged, or is not
 * what its TIFF says.
 */
export type TileCodec = (job: SampleJob) => Decoded | Promise<Decoded>;

/** How many samples a job's tile has for each pixel. */
export const samplesPerPixel = ({ layout }: SampleJob): number =>
  layout.planar ? 1 : layout.samples;

/** Refuses an image that is not as wide and as high as the tile that it is. */
export const checkSize = ({ layout, rows }: SampleJob, width: number, height: number): void => {
  const { tile } = layout;
  // The last strip may be coded at the height of all others.
  if (width !== tile.width || height < rows || height > tile.height)
    throw new Error(`a tile of ${tile.width} x ${rows} has ${width} x ${height} pixels`);
};

/** The bytes of numbers in a byte order, in memory of their own. */
export const bytesOf = (numbers: Numbers, littleEndian: boolean): Uint8Array => {
  const { buffer } = numbers.slice();
  if (littleEndian !== (endianness() === "LE"))
    turn(Buffer.from(buffer), numbers.BYTES_PER_ELEMENT);
  return new Uint8Array(buffer);
};

const turn = (bytes: Buffer, size: number): void => {
  if (size === 2) bytes.swap16();
  else if (size === 4) bytes.swap32();
  else if (size === 8) bytes.swap64();
};
