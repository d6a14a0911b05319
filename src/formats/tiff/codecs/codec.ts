import { endianness } from "node:os";
import type { SampleJob } from "./sample-job.ts";

/** Interleaved samples as numbers, row after row without gaps. */
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
 * A decoded tile: the bytes of an uncompressed one, with its predictor still applied, or numbers.
 */
export type Decoded = { readonly bytes: Uint8Array } | { readonly samples: Numbers };

/**
 * Decodes one compression on the calling thread. The next call may overwrite a synchronous result;
 * a promised one has memory of its own. Throws where the tile is corrupt, or not as its TIFF says.
 */
export type TileCodec = (job: SampleJob) => Decoded | Promise<Decoded>;

/** Samples per pixel of a job's tile. */
export const samplesPerPixel = ({ layout }: SampleJob): number =>
  layout.planar ? 1 : layout.samples;

/** Throws for an image whose size is not the tile's. */
export const checkSize = ({ layout, rows }: SampleJob, width: number, height: number): void => {
  const { tile } = layout;
  // The last strip may be encoded at the height of all others.
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
