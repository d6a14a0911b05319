import type { RangeReader } from "../../core/range-reader.ts";
import { mostBlockBytes } from "./block.ts";
import { type Fetch, fetchAll } from "./block-bytes.ts";
import { type BlockCache, type BlockKeeping, keptBytes } from "./block-cache.ts";
import type { Piece } from "./block-table.ts";
import { Breath } from "./breath.ts";
import type { Segment } from "./contract.ts";
import { damaged } from "./fields.ts";
import type { Box } from "./grid.ts";
import {
  type BandJob,
  blockFields,
  type ComponentJob,
  type LevelJob,
  type WindowJob,
} from "./job.ts";
import type { BlockPlace, KnownBlocks } from "./known-blocks.ts";
import { segmentsOf } from "./segments.ts";
import type { TileIndex } from "./tile-index.ts";
import { blocksOf, type LevelWindow, levelWindows, precinctsOf } from "./windows.ts";

/** What of a component is wanted. */
export interface ComponentWanted {
  readonly component: number;
  /** In samples of the resolution. */
  readonly box: Box;
  /** The resolution, 0 being the lowest. */
  readonly level: number;
  readonly precision: number;
  readonly signed: boolean;
}

/** What of a tile is wanted. */
export interface WindowWanted
  extends Pick<WindowJob, "transformed" | "wanted" | "interleaved" | "left"> {
  readonly components: readonly ComponentWanted[];
  readonly layers: number;
}

/** A job, and what it takes from the cache and leaves there. */
export interface Assignment {
  readonly job: WindowJob;
  /** To be called once the job has ended, and whether it was done; nobody works on it any more then. */
  settle(isDone: boolean): void;
}

/** Finds and reads what it takes to decode a window of a tile. */
export const assign = async (
  index: TileIndex,
  window: WindowWanted,
  cache: BlockCache,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<Assignment> => {
  const all = window.components.map((wanted) => {
    const own = index.grid.components[wanted.component] ?? damaged("a component");
    return { wanted, own, levels: levelWindows(own, wanted.box, wanted.level) };
  });
  const precincts = all.flatMap(({ levels }) => levels.map(precinctsOf));
  const known = await index.know(precincts, window.layers, reader, signal);
  // Of blocks, only those of all layers are kept.
  const isWhole = window.layers >= index.layers;
  const keeping = isWhole ? cache.begin(index.kept) : undefined;
  const gathered = new Gathered(index, known, window.layers, keeping);
  const breath = new Breath(signal);
  try {
    const components: ComponentJob[] = [];
    for (const { wanted, own, levels } of all) {
      const { coding, shift } = own.parameters;
      const { style, reversible } = coding;
      const jobs: LevelJob[] = [];
      for (const level of levels) jobs.push(await levelJob(level, style, gathered, breath));
      const [width, height] = [wanted.box.x1 - wanted.box.x0, wanted.box.y1 - wanted.box.y0];
      const { precision, signed } = wanted;
      const form = { width, height, precision, signed };
      components.push({ reversible, style, shift, levels: jobs, ...form });
    }
    const { transformed, wanted, interleaved, left } = window;
    const stored = await gathered.read(reader, signal);
    const { memory } = cache;
    const job = { components, transformed, wanted, interleaved, left, cache: memory, ...stored };
    return { job, settle: (isDone) => keeping?.settle(isDone) };
  } catch (error) {
    keeping?.settle(false);
    throw error;
  }
};

const levelJob = async (
  { resolution, box, wanted, bands }: LevelWindow,
  style: number,
  gathered: Gathered,
  breath: Breath,
): Promise<LevelJob> => {
  const jobs: BandJob[] = [];
  for (const window of bands) {
    const { kind, magnitudeBits, step } = window.band;
    const from = gathered.count;
    for (const { number, place, box: own } of blocksOf(resolution, window)) {
      gathered.add({ number, place, box: own, origin: window.box, style, magnitudeBits });
      if (breath.isDue(1)) await breath.rest();
    }
    const [width, height] = [window.box.x1 - window.box.x0, window.box.y1 - window.box.y0];
    const blocks = [from, gathered.count] as const;
    jobs.push({ kind, magnitudeBits, step, width, height, blocks });
  }
  return {
    width: box.x1 - box.x0,
    height: box.y1 - box.y0,
    oddX: oddness(box.x0),
    oddY: oddness(box.y0),
    bands: jobs,
    x: wanted.x0 - box.x0,
    y: wanted.y0 - box.y0,
  };
};

const oddness = (value: number): 0 | 1 => (value % 2 === 0 ? 0 : 1);

interface BlockToAdd {
  /** Among those of its resolution. */
  readonly number: number;
  readonly place: BlockPlace;
  readonly box: Box;
  /** Of the window of the band. */
  readonly origin: Box;
  readonly style: number;
  readonly magnitudeBits: number;
}

/** Where a block is to be had from. */
interface Stored {
  /** Bit planes that are all zero. */
  readonly missing: number;
  /** Where its bytes begin. */
  readonly bytes: number;
  readonly segments: readonly Segment[];
  readonly kept: number;
  readonly isKept: 0 | 1;
}

/** Blocks on their way into a job. */
class Gathered {
  readonly #index: TileIndex;
  readonly #known: KnownBlocks;
  readonly #layers: number;
  readonly #blocks: number[] = [];
  readonly #segments: number[] = [];
  readonly #fetches: Fetch[] = [];
  readonly #keeping: BlockKeeping | undefined;
  #bytes = 0;

  constructor(
    index: TileIndex,
    known: KnownBlocks,
    layers: number,
    keeping: BlockKeeping | undefined,
  ) {
    this.#index = index;
    this.#known = known;
    this.#layers = layers;
    this.#keeping = keeping;
  }

  /** How many there are. */
  get count(): number {
    return this.#blocks.length / blockFields;
  }

  /** Adds a block where any of it is kept or stored; what is not counts as zero. */
  add(block: BlockToAdd): void {
    const { number, place, box } = block;
    const { resolution } = place;
    const { missing, pieces } = this.#known.of(place, this.#layers);
    const kept = this.#keeping?.find(resolution.first + number);
    if (kept !== undefined) {
      this.#push(block, { bytes: this.#bytes, missing, segments: [], kept, isKept: 1 });
      return;
    }
    const bytes = this.#bytes;
    const whole = pieces.slice(0, this.#fetch(pieces));
    if (whole.length === 0) return;
    const planes = block.magnitudeBits - missing;
    const size = (box.x1 - box.x0) * (box.y1 - box.y0) * keptBytes(planes, block.style);
    const room = this.#keeping?.room(resolution.first + number, size) ?? -1;
    const segments = segmentsOf(block.style, whole);
    this.#push(block, { bytes, missing, segments, kept: room, isKept: 0 });
  }

  #push({ box, origin }: BlockToAdd, stored: Stored): void {
    const { bytes, missing, segments, kept, isKept } = stored;
    this.#blocks.push(
      box.x0 - origin.x0,
      box.y0 - origin.y0,
      box.x1 - box.x0,
      box.y1 - box.y0,
      missing,
      bytes,
      this.#bytes - bytes,
      this.#segments.length / 2,
      segments.length,
      kept,
      isKept,
    );
    for (const { length, passes } of segments) this.#segments.push(length, passes);
  }

  /** Notes where the bytes of pieces are; answers how many of the pieces are whole. */
  #fetch(pieces: readonly Piece[]): number {
    const start = this.#bytes;
    for (const [count, { offset, length }] of pieces.entries()) {
      if (this.#bytes - start + length > mostBlockBytes) return count;
      const before = this.#fetches.length;
      for (let done = 0; done < length; ) {
        const place = this.#index.placeOf(offset + done, length - done);
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
    await fetchAll(this.#fetches, bytes, reader, signal);
    return {
      bytes,
      blocks: Int32Array.from(this.#blocks),
      segments: Int32Array.from(this.#segments),
    };
  }
}

/** Some three times what a window takes without loss at 16 bits. */
const mostBytes = 67_108_864;
