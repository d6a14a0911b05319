import type { Steps } from "../../../core/steps.ts";
import { damaged } from "../../containers/index.ts";
import { maxBlockBytes } from "./block.ts";
import { Fetches, readGroups } from "./block-bytes.ts";
import { type BlockKeeping, keptBytes } from "./block-cache.ts";
import { factsOf, type ResolutionFacts } from "./block-facts.ts";
import { nothing, unknown } from "./cached-blocks.ts";
import type { Band, Resolution } from "./grid.ts";
import { blockField, blockFields, type WindowJob } from "./job.ts";
import type { BlockPlace, KnownBlocks } from "./known-blocks.ts";
import { segmentsOf } from "./segments.ts";
import type { StoredBlock } from "./slice-rows.ts";
import type { TileIndex } from "./tile-index.ts";
import { type BandWindow, firstOf } from "./windows.ts";

/** The sources of blocks. */
export interface BlockSources {
  readonly index: TileIndex;
  /** Absent where `facts` has everything. */
  readonly known: KnownBlocks | undefined;
  readonly layers: number;
  /** Absent: the block cache is not used. */
  readonly keeping: BlockKeeping | undefined;
  /** The code-block style. */
  readonly style: number;
}

/** The part of a band that a window touches. */
export interface BandPart {
  readonly window: BandWindow;
  readonly resolution: Resolution;
  readonly band: Band;
  /** Of the resolution's blocks; absent where they have to be located. */
  readonly facts: ResolutionFacts | undefined;
}

/** Blocks being added to a job. */
export class JobBlocks {
  #blocks: Int32Array;
  #length = 0;
  readonly #segments: number[] = [];
  readonly #fetches = new Fetches();
  /** For each block with bytes here, its entry and its first fetch. */
  readonly #firsts: number[] = [];
  /** Whether the bytes of each block are contiguous in the file. */
  #isTogether = true;
  #bytes = 0;

  /** Describes blocks in `memory` while they fit. */
  constructor(memory?: Int32Array) {
    this.#blocks = memory ?? new Int32Array(0);
  }

  /** How many there are. */
  get count(): number {
    return this.#length / blockFields;
  }

  /**
   * Adds those blocks of a row that a window touches and that are cached or stored; all others
   * count as zero.
   */
  addRow(part: BandPart, row: number, from: BlockSources): void {
    const { window, resolution, band, facts } = part;
    const { box, cells, width, height } = window;
    const { keeping } = from;
    const first = firstOf(band, row);
    const y0 = Math.max(band.box.y0, row * height);
    const y1 = Math.min(band.box.y1, (row + 1) * height);
    this.#reserve(cells.columns);
    const blocks = this.#blocks;
    for (let column = cells.x; column < cells.x + cells.columns; column++) {
      const number = first + column;
      const fact = facts === undefined ? factsOf.stored : facts.states[number - resolution.first];
      const isEmpty = fact === factsOf.nothing;
      const at = isEmpty || keeping === undefined ? unknown : keeping.find(number);
      if (at === nothing || (at < 0 && fact !== factsOf.stored)) continue;
      const entry = this.#length;
      const x0 = Math.max(band.box.x0, column * width);
      const x1 = Math.min(band.box.x1, (column + 1) * width);
      blocks[entry] = x0 - box.x0;
      blocks[entry + 1] = y0 - box.y0;
      blocks[entry + 2] = x1 - x0;
      blocks[entry + 3] = y1 - y0;
      blocks[entry + 5] = this.#bytes;
      if (at >= 0) {
        const missing = keeping?.blocks.missingOf(number) ?? 0;
        blocks[entry + 4] = missing;
        blocks[entry + 6] = 0;
        blocks[entry + 7] = 0;
        blocks[entry + 8] = 0;
        blocks[entry + 9] = at;
        blocks[entry + 10] = 1;
        blocks[entry + 11] = keptBytes(band.magnitudeBits, missing, from.style);
      } else if (!this.#store(entry, part, { column, row }, from)) continue;
      this.#length += blockFields;
    }
  }

  /** Reserves room for so many more blocks. */
  #reserve(blocks: number): void {
    const min = this.#length + blocks * blockFields;
    if (min <= this.#blocks.length) return;
    const larger = new Int32Array(Math.max(min, this.#blocks.length * 2));
    larger.set(this.#blocks);
    this.#blocks = larger;
  }

  /** Describes a block to be decoded; false where it is empty. */
  #store(
    entry: number,
    { window, resolution, band, facts }: BandPart,
    { column, row }: Pick<BlockPlace, "column" | "row">,
    from: BlockSources,
  ): boolean {
    const { index, keeping, style } = from;
    const number = firstOf(band, row) + column;
    const start = this.#bytes;
    const firstFetch = this.#fetches.count;
    const firstSegment = this.#segments.length / 2;
    const missing =
      facts === undefined
        ? this.#pieces({ resolution, band: window.order, column, row }, from)
        : this.#known(facts, number - resolution.first, index);
    const count = this.#segments.length / 2 - firstSegment;
    if (count === 0) {
      keeping?.blocks.leaveOut(number);
      return false;
    }
    this.#firsts.push(entry, firstFetch);
    const blocks = this.#blocks;
    const bytes = keptBytes(band.magnitudeBits, missing, style);
    const size = (blocks[entry + 2] ?? 0) * (blocks[entry + 3] ?? 0);
    const promised = keeping === undefined ? unknown : keeping.findPromised(number);
    blocks[entry + 4] = missing;
    blocks[entry + 6] = this.#bytes - start;
    blocks[entry + 7] = firstSegment;
    blocks[entry + 8] = count;
    blocks[entry + 9] =
      promised >= 0 ? promised : (keeping?.room(number, size * bytes, missing) ?? unknown);
    blocks[entry + 10] = promised >= 0 ? 2 : 0;
    blocks[entry + 11] = bytes;
    return true;
  }

  /** Adds the complete pieces of a block; returns its number of zero bit planes. */
  #pieces(place: BlockPlace, { index, known, layers, style }: BlockSources): number {
    const { missing, pieces } = known?.of(place, layers) ?? none;
    const start = this.#bytes;
    const count = pieces.findIndex(
      ({ offset, length }) => !this.#fetch(index, offset, length, start),
    );
    const whole = count < 0 ? pieces : pieces.slice(0, count);
    for (const { length, passes } of segmentsOf(style, whole)) this.#segments.push(length, passes);
    return missing;
  }

  /** As `#pieces`, of a block that is entirely in memory. */
  #known(facts: ResolutionFacts, block: number, index: TileIndex): number {
    const start = this.#bytes;
    const offset = facts.offsets[block] ?? 0;
    const length = facts.lengths[block] ?? 0;
    const passes = facts.morePasses?.[block] ?? 0;
    const more = facts.moreLengths?.[block] ?? 0;
    if (this.#fetch(index, offset, length, start)) {
      this.#segments.push(length, facts.passes[block] ?? 0);
      if (passes > 0 && this.#fetch(index, offset + length, more, start))
        this.#segments.push(more, passes);
    }
    return facts.missing[block] ?? 0;
  }

  /**
   * Records the position of a piece, of a block whose bytes begin at `start`; false where it is
   * incomplete.
   */
  #fetch(index: TileIndex, offset: number, length: number, start: number): boolean {
    if (this.#bytes - start + length > maxBlockBytes) return false;
    const before = this.#fetches.count;
    for (let done = 0; done < length; ) {
      const place = index.placeOf(offset + done, length - done);
      if (place.length === 0) {
        this.#fetches.dropAfter(before);
        return false;
      }
      this.#fetches.add(place.offset, place.length, this.#bytes + done);
      const isFirst = this.#bytes + done === start;
      if (!isFirst && !this.#fetches.isAdjacent) this.#isTogether = false;
      done += place.length;
    }
    this.#bytes += length;
    return true;
  }

  /**
   * The descriptions of the blocks and their segments; read-only, and complete once `read` has
   * ended.
   */
  get said(): Pick<WindowJob, "blocks" | "segments"> {
    return {
      blocks: this.#blocks.subarray(0, this.#length),
      segments: new Int32Array(this.#segments),
    };
  }

  /** Reads the bytes of the blocks, into `room` where they fit. */
  *read(room: Uint8Array | undefined): Steps<Uint8Array> {
    if (this.#bytes > maxBytes) damaged(`at most ${maxBytes} bytes of blocks in a window`);
    const groups = this.#fetches.groups();
    if (this.#isTogether && room !== undefined && groups.bytes <= room.length) {
      yield* readGroups(room, groups);
      this.#move(this.#fetches.placesIn(groups));
      return room.subarray(0, groups.bytes);
    }
    const bytes = new Uint8Array(this.#bytes);
    yield* this.#fetches.readInto(bytes, groups);
    return bytes;
  }

  /** Records that the first fetch of each block is elsewhere. */
  #move(places: Uint32Array): void {
    for (let at = 0; at < this.#firsts.length; at += 2) {
      const place = places[this.#firsts[at + 1] ?? 0] ?? 0;
      this.#blocks[(this.#firsts[at] ?? 0) + blockField.bytes] = place;
    }
  }
}

/** Numbers that describe the blocks of a tile of 256 x 256 in three components, with its margins. */
export const usualNumbers = 384 * blockFields;
const none: StoredBlock = { missing: 0, pieces: [] };
/** About three times a losslessly coded window at 16 bits. */
const maxBytes = 67_108_864;
