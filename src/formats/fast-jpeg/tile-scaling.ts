import { type Kernel, loadKernel, reserve } from "../../core/wasm.ts";
import { cachedTaps, maxTaps, type Taps, type tapsOf, unit } from "../shared/index.ts";
import type { TileDecoder, TileRows } from "../tiff/codecs/index.ts";
import { compressions } from "../tiff/structure/index.ts";
import { decodedTile, isDecoded, keepDecoded } from "./decoded-tiles.ts";
import type { PlacedTile, ScaleJob } from "./tile-job.ts";

/** The exports of `assembly/scaling`; addresses in its memory are bytes. */
interface Scaling extends Kernel {
  down(
    to: number,
    from: number,
    stride: number,
    bytes: number,
    weights: number,
    pairs: number,
    more: number,
  ): void;
  acrossColour: Across;
  acrossGrey: Across;
}

type Across = (
  to: number,
  toStep: number,
  from: number,
  fromStep: number,
  starts: number,
  weights: number,
  groups: number,
  pixels: number,
) => void;

/** Makes downscaled images of tiles on the calling thread. */
export interface TileScaler {
  /**
   * The pixels of the image, row after row, in memory that the next call overwrites. Throws where a
   * tile is corrupt, and between tiles once nobody waits for the image any more.
   */
  scale(job: ScaleJob, decoder: TileDecoder): Uint8Array;
}

/** A scaler for one thread. */
export const createTileScaler = async (): Promise<TileScaler> => {
  const kernel = await loadKernel<Scaling>("scaling");
  const tapsFor = cachedTaps();
  return {
    scale(job, decoder) {
      const places = placesOf(job);
      reserve(kernel, places.end);
      const [across, down] = putTaps(kernel, tapsFor, job, places);
      const strip: Strip = { job, kernel, places, down, across };
      let drawn = 0;
      let top = 0;
      for (let first = 0; first < job.tiles.length; first += job.columns) {
        const filled = tileRowOf(job, first);
        if (first > 0) top = slide(strip, { top, to: neededFrom(strip, drawn), end: filled.from });
        for (let column = 0; column < job.columns; column++)
          fillColumn(strip, decoder, { index: first + column, column, top });
        drawn = drawRows(strip, { drawn, top, end: filled.to });
      }
      return new Uint8Array(
        kernel.memory.buffer,
        places.picture,
        job.across.count * job.down.count * job.samples,
      );
    },
  };
};

/** Memory of a job besides its tiles, in bytes. */
export const scalingBytes = (job: Parameters<typeof placesOf>[0]): number => placesOf(job).end;

/** Number of weights processed together: two pixels of three samples, or eight of one. */
const multipleOf = (samples: 1 | 3): number => (samples === 3 ? 2 : 8);

/** The layout of memory. */
interface TilePlaces {
  readonly downWeights: number;
  readonly acrossStarts: number;
  readonly acrossWeights: number;
  /** Two rows of vertical sums, 16 bits each. */
  readonly sums: number;
  /** Distance between them. */
  readonly sumsStep: number;
  /** The rows of the level that are in memory, one column of tiles after the other. */
  readonly strip: number;
  /** Distance between columns of tiles. */
  readonly column: number;
  readonly picture: number;
  readonly end: number;
}

const placesOf = ({
  tile,
  samples,
  columns,
  across,
  down,
  filter,
}: Pick<ScaleJob, "tile" | "samples" | "columns" | "across" | "down" | "filter">): TilePlaces => {
  const acrossTaps = roundedUp(maxTaps(across.step, filter), multipleOf(samples));
  const downTaps = roundedUp(maxTaps(down.step, filter), 2);
  // Rows kept from the tiles above, and after the last ones those with weight 0.
  const rows = tile.height + 2 * downTaps;
  const column = roundedUp(rows * tile.width * samples + beyond, 16);
  const downWeights = start;
  const acrossStarts = roundedUp(downWeights + down.count * downTaps * 2, 16);
  const acrossWeights = roundedUp(acrossStarts + across.count * 4, 16);
  const sums = roundedUp(acrossWeights + across.count * acrossTaps * 2, 16);
  const sumsStep = roundedUp((columns * tile.width + acrossTaps) * samples * 2 + 2 * beyond, 16);
  const strip = sums + 2 * sumsStep;
  const picture = strip + columns * column;
  const end = picture + across.count * down.count * samples + beyond;
  return { downWeights, acrossStarts, acrossWeights, sums, sumsStep, strip, column, picture, end };
};

/** Start of memory not used by the kernel itself. */
const start = 1_024;
/** How far the kernel reads and writes beyond the last used byte. */
const beyond = 32;

const roundedUp = (value: number, multiple: number): number =>
  Math.ceil(value / multiple) * multiple;

/** A job in progress: rows of the level enter at the bottom of the strip and leave at the top. */
interface Strip {
  readonly job: ScaleJob;
  readonly kernel: Scaling;
  readonly places: TilePlaces;
  readonly down: Taps;
  readonly across: Taps;
}

const putTaps = (
  kernel: Scaling,
  tapsFor: typeof tapsOf,
  job: ScaleJob,
  places: TilePlaces,
): readonly [Taps, Taps] => {
  const { filter, level, region, samples } = job;
  const across = tapsFor(job.across, {
    filter,
    length: level.width,
    multiple: multipleOf(samples),
  });
  const down = tapsFor(job.down, { filter, length: level.height, multiple: 2 });
  const { buffer } = kernel.memory;
  new Int16Array(buffer, places.downWeights, down.weights.length).set(down.weights);
  new Int16Array(buffer, places.acrossWeights, across.weights.length).set(across.weights);
  const starts = new Uint32Array(buffer, places.acrossStarts, across.starts.length);
  for (let pixel = 0; pixel < starts.length; pixel++)
    starts[pixel] = ((across.starts[pixel] ?? 0) - region.x) * samples * 2;
  return [across, down];
};

/** The rows of the region in a row of tiles. */
const tileRowOf = ({ tiles, tile, region }: ScaleJob, first: number) => {
  const y = tiles[first]?.y ?? 0;
  return { from: Math.max(0, y), to: Math.min(region.height, y + tile.height) };
};

/** The first row of the region that contributes to row `row` of the image. */
const neededFrom = ({ job, down }: Strip, row: number): number =>
  (down.starts[Math.min(row, job.down.count - 1)] ?? 0) - job.region.y;

/**
 * Moves the rows from `to` up to `end` to the top of the strip, which begins with row `top`;
 * returns its new first row.
 */
const slide = (
  { job, kernel, places }: Strip,
  { top, to, end }: { readonly top: number; readonly to: number; readonly end: number },
): number => {
  const from = Math.min(to, end);
  const stride = job.tile.width * job.samples;
  const memory = new Uint8Array(kernel.memory.buffer);
  for (let column = 0; column < job.columns; column++) {
    const at = places.strip + column * places.column;
    memory.copyWithin(at, at + (from - top) * stride, at + (end - top) * stride);
  }
  return from;
};

const fillColumn = (
  { job, kernel, places }: Strip,
  decoder: TileDecoder,
  { index, column, top }: { readonly index: number; readonly column: number; readonly top: number },
): void => {
  if (Atomics.load(job.left, 0) !== 0) throw new Error("nobody waits for the image");
  const tile = job.tiles[index];
  if (tile === undefined) throw new Error(`there is no tile ${index}`);
  const rows = [
    Math.max(0, -tile.y),
    Math.min(job.tile.height, job.region.height - tile.y),
  ] as const;
  const stride = job.tile.width * job.samples;
  const pixels = pixelsOf(job, decoder, tile, rows);
  const at = places.strip + column * places.column + (tile.y + rows[0] - top) * stride;
  new Uint8Array(kernel.memory.buffer).set(pixels.subarray(rows[0] * stride, rows[1] * stride), at);
};

/** The pixels of a tile: cached, or decoded and cached where enabled. */
const pixelsOf = (
  job: ScaleJob,
  decoder: TileDecoder,
  { bytes, number }: PlacedTile,
  rows: TileRows,
): Uint8Array => {
  const { decoded } = job;
  if (decoded === undefined || number === undefined) return decoder.decode(bytes, job, rows);
  if (isDecoded(decoded, number)) return decodedTile(decoded, number, job);
  const pixels = decoder.decode(bytes, job);
  keepDecoded(decoded, number, job, pixels);
  return pixels;
};

/**
 * Renders the rows of the image that need nothing from row `end` of the region on, two at a time;
 * returns how many are finished.
 */
const drawRows = (
  strip: Strip,
  { drawn, top, end }: { readonly drawn: number; readonly top: number; readonly end: number },
): number => {
  const { job, places, down } = strip;
  const isReady = (row: number): boolean =>
    row < job.down.count && Math.min(job.region.height, neededFrom(strip, row) + down.count) <= end;
  let row = drawn;
  while (isReady(row)) {
    const rows = isReady(row + 1) ? 2 : 1;
    for (let n = 0; n < rows; n++)
      sumDown(strip, row + n, { top, to: places.sums + n * places.sumsStep });
    drawAcross(strip, row, rows);
    row += rows;
  }
  return row;
};

const drawAcross = ({ job, kernel, places, across }: Strip, row: number, rows: 1 | 2): void => {
  const { samples } = job;
  const draw = samples === 3 ? kernel.acrossColour : kernel.acrossGrey;
  const stride = job.across.count * samples;
  const { picture, sums, sumsStep, acrossStarts, acrossWeights } = places;
  // A single row is computed twice in one place.
  const [toStep, fromStep] = rows === 2 ? [stride, sumsStep] : [0, 0];
  const groups = across.count / multipleOf(samples);
  const to = picture + row * stride;
  draw(to, toStep, sums, fromStep, acrossStarts, acrossWeights, groups, job.across.count);
};

/** One row of sums over all columns of tiles. */
const sumDown = (
  strip: Strip,
  row: number,
  { top, to }: { readonly top: number; readonly to: number },
): void => {
  const { job, kernel, places, down } = strip;
  const { tile, samples, region, columns, tiles, compression } = job;
  const stride = tile.width * samples;
  const weights = places.downWeights + row * down.count * 2;
  const from = places.strip + (neededFrom(strip, row) - top) * stride;
  const more = compression === compressions.jpeg ? Math.floor(droppedByJpeg * unit) : 0;
  for (let column = 0; column < columns; column++) {
    const x = tiles[column]?.x ?? 0;
    const left = Math.max(0, -x);
    const right = Math.min(tile.width, region.width - x);
    kernel.down(
      to + (x + left) * samples * 2,
      from + column * places.column + left * samples,
      stride,
      (right - left) * samples,
      weights,
      down.count / 2,
      more,
    );
  }
};

/**
 * In steps of 255: the fast JPEG decoder rounds down, by three quarters of a step on average. This
 * much is added back; flat colours that were exact stay so.
 */
const droppedByJpeg = 0.49;
