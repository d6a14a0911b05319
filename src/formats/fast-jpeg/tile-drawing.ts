import type { TileDecoder } from "../tiff/codecs/index.ts";
import type { TileEncoder } from "../turbo/index.ts";
import type { ScaleJob, TileJob } from "./tile-job.ts";
import type { TileScaler } from "./tile-scaling.ts";

/** The dependencies of rendering tiles. */
export interface TileTools {
  readonly encode: TileEncoder;
  readonly decoder: TileDecoder;
  readonly scaler: TileScaler;
}

/** Makes a downscaled JPEG of tiles, entirely on the calling thread. */
export const drawScaled = (job: ScaleJob, { encode, decoder, scaler }: TileTools): Uint8Array => {
  const size = { width: job.across.count, height: job.down.count };
  return encode({ ...job, size }, scaler.scale(job, decoder));
};

/** Decodes stored tiles, joins them and encodes the image as JPEG, all on the calling thread. */
export const drawTiles = (job: TileJob, tools: TileTools): Uint8Array => {
  const { tiles, tile, size, samples, quality, subsampling } = job;
  const { decoder, encode } = tools;
  const [only] = tiles;
  const isOne = tiles.length === 1 && only?.x === 0 && only.y === 0;
  if (!isOne || size.width > tile.width || size.height > tile.height)
    return encode(job, assemble(job, tools));
  // The encoder omits the padding.
  const pixels = decoder.decode(only.bytes, job, [0, size.height]);
  return encode({ size, samples, quality, subsampling, stride: tile.width }, pixels);
};

/** The pixels of the image, row after row. */
const assemble = (job: TileJob, { decoder }: Pick<TileTools, "decoder">): Uint8Array => {
  const { tiles, tile, size, samples } = job;
  const picture = new Uint8Array(size.width * size.height * samples);
  for (const { bytes, x, y } of tiles) {
    const rows = [Math.max(0, -y), Math.min(tile.height, size.height - y)] as const;
    const pixels = decoder.decode(bytes, job, rows);
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
