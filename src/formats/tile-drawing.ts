import zlib from "node:zlib";
import type Turbo from "@julusian/jpeg-turbo";
import { unlzw } from "./tiff-lzw.ts";
import { compressions } from "./tiff-tags.ts";
import type { TileJob } from "./tile-job.ts";
import type { Unzstd } from "./zstd.ts";

/** What drawing tiles needs of others' code. */
export interface TileTools {
  readonly turbo: typeof Turbo;
  readonly unzstd: Unzstd;
}

/** Decodes stored tiles, puts them side by side and encodes the picture as JPEG, all on the calling thread. */
export const drawTiles = (job: TileJob, tools: TileTools): Uint8Array =>
  encode(job, assemble(job, tools), tools);

/** The pixels of the picture, row after row. */
const assemble = (job: TileJob, tools: TileTools): Uint8Array => {
  const { tiles, tile, size, samples } = job;
  const [only] = tiles;
  const isWhole = tiles.length === 1 && only?.x === 0 && only.y === 0 && tile.width === size.width;
  if (isWhole && tile.height === size.height)
    return decode(job, only.bytes, tools, [0, tile.height]);
  const picture = new Uint8Array(size.width * size.height * samples);
  for (const { bytes, x, y } of tiles) {
    const rows = [Math.max(0, -y), Math.min(tile.height, size.height - y)] as const;
    const pixels = decode(job, bytes, tools, rows);
    const left = Math.max(0, -x);
    const right = Math.min(tile.width, size.width - x);
    for (let row = rows[0]; row < rows[1]; row++) {
      const from = row * tile.width;
      const line = pixels.subarray((from + left) * samples, (from + right) * samples);
      picture.set(line, ((y + row) * size.width + x + left) * samples);
    }
  }
  return picture;
};

/** A tile's pixels; only those from the first to before the second of `rows` need be right. */
const decode = (
  job: TileJob,
  bytes: Uint8Array,
  { turbo, unzstd }: TileTools,
  rows: readonly [number, number],
): Uint8Array => {
  const { tile, samples, predictor } = job;
  const length = tile.width * tile.height * samples;
  if (job.compression === compressions.jpeg) return decodeJpeg(job, bytes, turbo);
  const pixels = unpack(job.compression, bytes, { length, unzstd });
  if (pixels.length < length) throw new Error(`a tile has ${pixels.length} of ${length} bytes`);
  if (predictor === 2) undoDifferences(pixels, { stride: tile.width * samples, samples, rows });
  return pixels;
};

const decodeJpeg = (
  { tile, samples }: TileJob,
  bytes: Uint8Array,
  turbo: typeof Turbo,
): Uint8Array => {
  const format = samples === 1 ? turbo.FORMAT_GRAY : turbo.FORMAT_RGB;
  const { data, width, height } = turbo.decompressSync(asBuffer(bytes), { format });
  if (width !== tile.width || height !== tile.height)
    throw new Error(`a tile has ${width} x ${height} pixels`);
  return data;
};

/** What encoders may leave behind the last byte that counts. */
const slack = 65_536;

/** Undoes a lossless compression; throws where the data is damaged. */
export const unpack = (
  compression: number,
  bytes: Uint8Array,
  { length, unzstd }: { readonly length: number; readonly unzstd: Unzstd },
): Uint8Array => {
  switch (compression) {
    case compressions.none:
      return bytes;
    case compressions.lzw:
      return unlzw(bytes, length);
    case compressions.deflate:
    case compressions.oldDeflate:
      // One piece of output that holds it all: several would be copied together.
      return zlib.inflateSync(bytes, { chunkSize: length + 64, maxOutputLength: length + slack });
    case compressions.zstd:
      return unzstd(bytes, length);
    default:
      throw new Error(`compression ${compression} is none that can be undone here`);
  }
};

/** TIFF 6.0 section 14, 8-bit samples, in place. */
const undoDifferences = (
  pixels: Uint8Array,
  {
    stride,
    samples,
    rows,
  }: { readonly stride: number; readonly samples: 1 | 3; readonly rows: readonly [number, number] },
): void => {
  for (let row = rows[0]; row < rows[1]; row++) {
    const start = row * stride;
    const end = start + stride;
    let red = 0;
    if (samples === 1)
      for (let at = start; at < end; at++) {
        red += pixels[at] ?? 0;
        pixels[at] = red;
      }
    else {
      let green = 0;
      let blue = 0;
      for (let at = start; at < end; at += 3) {
        red += pixels[at] ?? 0;
        green += pixels[at + 1] ?? 0;
        blue += pixels[at + 2] ?? 0;
        pixels[at] = red;
        pixels[at + 1] = green;
        pixels[at + 2] = blue;
      }
    }
  }
};

const encode = (
  { size, samples, quality, subsampling }: TileJob,
  pixels: Uint8Array,
  { turbo }: TileTools,
): Uint8Array => {
  const jpeg = turbo.compressSync(asBuffer(pixels), {
    ...size,
    format: samples === 1 ? turbo.FORMAT_GRAY : turbo.FORMAT_RGB,
    subsampling:
      samples === 1 ? turbo.SAMP_GRAY : subsampling === "4:4:4" ? turbo.SAMP_444 : turbo.SAMP_420,
    quality,
  });
  // In memory of its own and no larger, so that it can change threads.
  return Uint8Array.from(jpeg);
};

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
