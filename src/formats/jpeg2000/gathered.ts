import type { RangeReader } from "../../core/range-reader.ts";
import { mostBlockBytes } from "./block.ts";
import { type Fetch, fetchAll } from "./block-bytes.ts";
import { type BlockKeeping, keptBytes } from "./block-cache.ts";
import type { Piece } from "./block-table.ts";
import { damaged } from "./fields.ts";
import { blockFields, type WindowJob } from "./job.ts";
import { nothing, unknown } from "./kept-blocks.ts";
import type { KnownBlocks } from "./known-blocks.ts";
import { segmentsOf } from "./segments.ts";
import type { TileIndex } from "./tile-index.ts";
import { type BandWindow, firstOf } from "./windows.ts";

/** Where blocks are to be had from. */
export interface BlockSources {
  readonly index: TileIndex;
  readonly known: KnownBlocks;
  readonly layers: number;
  /** Absent: no block is taken from the cache, nor left there. */
  readonly keeping: BlockKeeping | undefined;
  /** The code-block style. */
  readonly style: number;
}

/** Blocks on their way into a job. */
export class Gathered {
  #blocks = new Int32Array(256 * blockFields);
  #length = 0;
  readonly #segments: number[] = [];
  readonly #fetches: Fetch[] = [];
  #bytes = 0;

  /** How many there are. */
  get count(): number {
    return this.#length / blockFields;
  }

  /** Adds those blocks of a row that a window touches of which anything is kept or stored; what is not counts as zero. */
  addRow(window: BandWindow, row: number, from: BlockSources): void {
    const { band, box, cells, width, height } = window;
    const { keeping } = from;
    const first = firstOf(window, row);
    const y0 = Math.max(band.box.y0, row * height);
    const y1 = Math.min(band.box.y1, (row + 1) * height);
    for (let column = cells.x; column < cells.x + cells.columns; column++) {
      const at = keeping?.find(first + column) ?? unknown;
      if (at === nothing) continue;
      const x0 = Math.max(band.box.x0, column * width);
      const x1 = Math.min(band.box.x1, (column + 1) * width);
      const entry = this.#next();
      this.#blocks[entry] = x0 - box.x0;
      this.#blocks[entry + 1] = y0 - box.y0;
      this.#blocks[entry + 2] = x1 - x0;
      this.#blocks[entry + 3] = y1 - y0;
      if (at < 0) {
        if (!this.#store(entry, { window, row, column, number: first + column }, from))
          this.#length = entry;
        continue;
      }
      this.#blocks[entry + 4] = keeping?.blocks.missingOf(first + column) ?? 0;
      this.#blocks[entry + 5] = this.#bytes;
      this.#blocks[entry + 9] = at;
      this.#blocks[entry + 10] = 1;
    }
  }

  /** Where the next block is to be described. */
  #next(): number {
    const entry = this.#length;
    this.#length += blockFields;
    if (this.#length > this.#blocks.length) {
      const larger = new Int32Array(this.#blocks.length * 2);
      larger.set(this.#blocks);
      this.#blocks = larger;
    }
    this.#blocks.fill(0, entry, this.#length);
    return entry;
  }

  /** Describes a block that has to be decoded; false where nothing is stored of it. */
  #store(
    entry: number,
    {
      window,
      row,
      column,
      number,
    }: { window: BandWindow; row: number; column: number; number: number },
    { index, known, layers, keeping, style }: BlockSources,
  ): boolean {
    const { resolution, band, order } = window;
    const place = { resolution, band: order, column, row };
    const { missing, pieces } = known.of(place, layers);
    const start = this.#bytes;
    const count = this.#fetch(index, pieces);
    if (count === 0) {
      keeping?.blocks.leaveOut(number);
      return false;
    }
    const bytes = keptBytes(band.magnitudeBits, missing, style);
    const size = (this.#blocks[entry + 2] ?? 0) * (this.#blocks[entry + 3] ?? 0);
    const segments = segmentsOf(style, count === pieces.length ? pieces : pieces.slice(0, count));
    this.#blocks[entry + 4] = missing;
    this.#blocks[entry + 5] = start;
    this.#blocks[entry + 6] = this.#bytes - start;
    this.#blocks[entry + 7] = this.#segments.length / 2;
    this.#blocks[entry + 8] = segments.length;
    const promised = keeping?.findPromised(number) ?? unknown;
    this.#blocks[entry + 9] =
      promised >= 0 ? promised : (keeping?.room(number, size * bytes, missing) ?? -1);
    this.#blocks[entry + 10] = promised >= 0 ? 2 : 0;
    for (const { length, passes } of segments) this.#segments.push(length, passes);
    return true;
  }

  /** Notes where the bytes of pieces are; answers how many of the pieces are whole. */
  #fetch(index: TileIndex, pieces: readonly Piece[]): number {
    const start = this.#bytes;
    for (const [count, { offset, length }] of pieces.entries()) {
      if (this.#bytes - start + length > mostBlockBytes) return count;
      const before = this.#fetches.length;
      for (let done = 0; done < length; ) {
        const place = index.placeOf(offset + done, length - done);
        if (place.length === 0) {
          this.#fetches.length = before;
          return count;
        }
        this.#fetches.push({ ...place, to: this.#bytes + done });
        done += place.length;
      }
      this.#bytes += length;
    }
    return pieces.length;
  }

  async read(
    reader: RangeReader,
    signal: AbortSignal,
  ): Promise<Pick<WindowJob, "bytes" | "blocks" | "segments">> {
    if (this.#bytes > mostBytes) damaged(`at most ${mostBytes} bytes of blocks in a window`);
    const bytes = new Uint8Array(this.#bytes);
    if (this.#fetches.length > 0) await fetchAll(this.#fetches, bytes, reader, signal);
    return {
      bytes,
      blocks: this.#blocks.slice(0, this.#length),
      segments: new Int32Array(this.#segments),
    };
  }
}

/** Some three times what a window takes without loss at 16 bits. */
const mostBytes = 67_108_864;
