import { decodeJpeg, frameOf } from "../../lossless-jpeg/index.ts";
import { checkSize, samplesPerPixel, type TileCodec } from "./codec.ts";

/**
 * JPEG (7) of samples that libvips has no colour model for: opacity, planes, 12 bits; components as
 * they are stored.
 */
export const jpegCodec: TileCodec = (job) => {
  const bytes = withTables(job.bytes, job.tables);
  const { width, height } = frameOf(bytes);
  checkSize(job, width, height);
  const components = samplesPerPixel(job);
  const { samples, precision } = decodeJpeg(bytes, { width, height, components });
  if (precision !== job.layout.bits)
    throw new Error(`a JPEG tile has ${precision} bits for ${job.layout.bits}`);
  return { samples };
};

const withTables = (tile: Uint8Array, tables: Uint8Array | undefined): Uint8Array => {
  if (tables === undefined) return tile;
  const bytes = new Uint8Array(tables.length + tile.length);
  bytes.set(tables);
  bytes.set(tile, tables.length);
  return bytes;
};
