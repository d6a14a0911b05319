import type { FileHandle } from "node:fs/promises";
import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";
import { headerSize } from "./directories.ts";
import {
  finishPyramid,
  GrowingFile,
  levelSizes,
  type PyramidExtras,
  type PyramidPlan,
  type WrittenLevel,
} from "./finishing.ts";
import { halveRows, newSamples, type PyramidSamples, type SampleLayout } from "./samples.ts";
import type { TileEncoder } from "./tile-encoders.ts";

/** A level being written: rows that do not fill tiles yet, and the positions of its tiles. */
interface Level extends WrittenLevel {
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  /** Number of tiles across. */
  readonly across: number;
  /** A row of whole tiles, of which `filled` rows are there. */
  rows: PyramidSamples;
  filled: number;
  /** As large as `rows`; being encoded. */
  encoded: PyramidSamples;
  encoding: Promise<void>;
  /** The half of `rows`. */
  readonly halves: PyramidSamples;
  /** Rows that are written or being written. */
  done: number;
}

/**
 * Writes a tiled pyramid row by row, in memory for two rows of tiles of each level: the tiles as
 * they come, followed by all directories. A row of tiles is encoded while the next one is filled.
 */
export class PyramidWriter {
  readonly #file: GrowingFile;
  readonly #plan: PyramidPlan;
  readonly #encoder: TileEncoder;
  readonly #levels: readonly Level[];

  constructor(file: Pick<FileHandle, "write">, plan: PyramidPlan, encoder: TileEncoder) {
    this.#file = new GrowingFile(file, headerSize);
    this.#plan = plan;
    this.#encoder = encoder;
    this.#levels = levelSizes(plan).map((size) => levelOf(size, plan));
  }

  /** The next rows of the full size, any number of them. */
  async add(rows: PyramidSamples, signal: AbortSignal): Promise<void> {
    const [first] = this.#levels;
    if (first !== undefined) await this.#addTo(first, rows, signal);
  }

  /** Finishes the file once all rows are in it; returns its length in bytes. */
  async finish(extras: PyramidExtras): Promise<number> {
    await this.settle();
    for (const { size, done } of this.#levels)
      if (done !== size.height)
        fail("internal", `Expected ${size.height} rows of a level, got ${done}.`);
    const encoding = this.#encoder.fields();
    const levels = this.#levels.map(({ size, offsets, lengths }) => ({
      ...{ size, offsets, lengths, encoding },
    }));
    await finishPyramid(this.#file, this.#plan, { levels, extras });
    return this.#file.end;
  }

  /** Waits until no write is in flight; throws where one failed. */
  async settle(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#levels.map(({ encoding }) => encoding));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  async #addTo(level: Level, rows: PyramidSamples, signal: AbortSignal): Promise<void> {
    const { samples } = this.#plan.layout;
    const stride = level.size.width * samples;
    const room = level.across * this.#plan.tile * samples;
    for (let at = 0; at < rows.length; at += stride) {
      level.rows.set(rows.subarray(at, at + stride), level.filled * room);
      level.filled++;
      if (level.filled === this.#plan.tile || level.done + level.filled === level.size.height)
        await this.#flush(level, signal);
    }
  }

  /** Starts writing a row of tiles, and passes its half to the next level. */
  async #flush(level: Level, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const below = this.#levels[this.#levels.indexOf(level) + 1];
    const halves = below && this.#halvesOf(level);
    repeatEdges(level, this.#plan);
    await level.encoding;
    [level.rows, level.encoded] = [level.encoded, level.rows];
    level.encoding = this.#encode(level, Math.floor(level.done / this.#plan.tile), signal);
    // The next wait reports it.
    level.encoding.catch(() => {});
    level.done += level.filled;
    level.filled = 0;
    if (below && halves) await this.#addTo(below, halves, signal);
  }

  async #encode(level: Level, row: number, signal: AbortSignal): Promise<void> {
    const { across, offsets, lengths } = level;
    const store = async (column: number, bytes: Uint8Array): Promise<void> => {
      offsets[row * across + column] = await this.#file.append(bytes);
      lengths[row * across + column] = bytes.length;
    };
    await this.#encoder.encode({ samples: level.encoded, across }, { store, signal });
  }

  /** Since tiles have an even number of rows, only the last row of a level may be unpaired. */
  #halvesOf({ size: { width }, rows, across, halves, filled }: Level): PyramidSamples {
    const { layout, tile } = this.#plan;
    const { samples } = layout;
    const stride = across * tile * samples;
    const half = Math.ceil(width / 2) * samples;
    const pairs = Math.ceil(filled / 2);
    const row = (index: number): PyramidSamples => {
      const from = Math.min(index, filled - 1) * stride;
      return rows.subarray(from, from + width * samples);
    };
    for (let pair = 0; pair < pairs; pair++)
      halveRows(
        { above: row(pair * 2), below: row(pair * 2 + 1), width },
        samples,
        halves.subarray(pair * half, (pair + 1) * half),
      );
    return halves.subarray(0, pairs * half);
  }
}

/** Fills the part of a row of tiles beyond the level with its last column and row. */
const repeatEdges = (
  { size: { width }, rows, across, filled }: Level,
  { tile, layout: { samples } }: PyramidPlan,
): void => {
  const stride = across * tile * samples;
  const used = width * samples;
  if (used < stride)
    for (let row = 0; row < filled; row++) {
      const start = row * stride;
      const last = rows.subarray(start + used - samples, start + used);
      for (let at = start + used; at < start + stride; at += samples) rows.set(last, at);
    }
  for (let row = filled; row < tile; row++)
    rows.copyWithin(row * stride, (filled - 1) * stride, filled * stride);
};

const levelOf = (
  size: Size,
  { tile, layout }: { readonly tile: number; readonly layout: SampleLayout },
): Level => {
  const across = Math.ceil(size.width / tile);
  const tiles = across * Math.ceil(size.height / tile);
  const room = across * tile * tile * layout.samples;
  const pairs = Math.ceil(Math.min(tile, size.height) / 2);
  return {
    size,
    across,
    rows: newSamples(layout, room),
    filled: 0,
    encoded: newSamples(layout, room),
    encoding: Promise.resolve(),
    halves: newSamples(layout, pairs * Math.ceil(size.width / 2) * layout.samples),
    done: 0,
    offsets: new Float64Array(tiles),
    lengths: new Float64Array(tiles),
  };
};
