import type { RangeReader } from "../../core/range-reader.ts";
import { areFactsFew, BlockFacts } from "./block-facts.ts";
import { Breath } from "./breath.ts";
import { type Resolution, type TileGrid, tileGrid } from "./grid.ts";
import { KeptBlocks } from "./kept-blocks.ts";
import { KeptSlices, widened } from "./kept-slices.ts";
import { type KnownBlocks, KnownFacts, KnownSlices } from "./known-blocks.ts";
import type { MainHeader } from "./main-header.ts";
import { OpenPrecinct } from "./open-precinct.ts";
import type { PacketPlaces } from "./packet-lengths.ts";
import { type PacketKind, PacketReader, type Patience, patienceFor } from "./packet-reader.ts";
import { PacketStarts } from "./packet-starts.ts";
import { ofComponent } from "./parameters.ts";
import {
  isIn,
  type PrecinctShape,
  type PrecinctsWanted,
  precinctsIn,
  shapeOf,
} from "./precincts.ts";
import { type Packet, packetsInOrder } from "./progression.ts";
import { type Slice, slicesOf, slicesWith } from "./slices.ts";
import { TreeShapes } from "./tag-tree.ts";
import { endOf, spanAt } from "./tile-bytes.ts";
import type { Span, TileHeader } from "./tile-header.ts";
import { Turns } from "./turns.ts";
import { Walk } from "./walk.ts";

/** What a tile may take of memory for where its blocks are; more of them are found again when they are wanted. */
const mostTileBytes = 5_767_168;
/** Of precincts between two layers. */
const mostOpenBytes = 1_048_576;
/** In any case room for a few requests. */
const leastSliceBytes = 1_048_576;

/**
 * Where the blocks of a tile are. Packet headers are read only as far as it takes to find what is
 * wanted: those alone where it is known where they start, by lists or since they were passed before, else all up
 * to the last of them.
 */
export class TileIndex {
  readonly grid: TileGrid;
  /** Whether the first three components come out as RGB only together. */
  readonly transformed: boolean;
  /** How many layers there are; fewer may be wanted. */
  readonly layers: number;
  /** The blocks that were decoded, by their numbers in the grid. */
  readonly kept: KeptBlocks;
  /** What is stored of the blocks, as far as it was learned; absent where that would be too much to have at hand. */
  readonly facts: BlockFacts | undefined;
  readonly #kind: PacketKind;
  readonly #starts: PacketStarts;
  readonly #slices: KeptSlices;
  readonly #turns = new Turns();
  readonly #order: () => Generator<Packet>;
  /** For the walk, once and for all. */
  readonly #patience: Patience;
  /** Whether there is room for all blocks. */
  readonly #isSmall: boolean;
  /** What is listed, until it is put in order. */
  #listed: PacketPlaces | undefined;
  #isListed = false;
  #walk: Walk;

  constructor(main: MainHeader, tile: number, header: TileHeader) {
    const { parameters } = main;
    const own = header.parameters;
    const coding = own.coding ?? parameters.coding;
    this.grid = tileGrid(main.header, tile, (component) => ofComponent(parameters, own, component));
    this.kept = new KeptBlocks(this.grid.blocks);
    this.transformed = coding.transformed;
    this.layers = coding.layers;
    this.#kind = {
      spans: header.spans,
      packed: header.packed,
      startMarkers: coding.startMarkers,
      endMarkers: coding.endMarkers,
      styleOf: (component) => this.grid.components[component]?.parameters.coding.style ?? 0,
      shapes: new TreeShapes(),
    };
    this.#listed = header.places;
    const { layers, progression } = coding;
    const changes = own.changes.length > 0 ? own.changes : parameters.changes;
    const steps = main.header.components;
    this.#order = () => packetsInOrder({ grid: this.grid, steps, layers, progression, changes });
    this.#starts = new PacketStarts(layers);
    this.#walk = new Walk(this.#order(), layers, this.#starts);
    this.#patience = patienceFor(endOf(header.spans));
    this.#slices = new KeptSlices(() =>
      Math.max(leastSliceBytes, mostTileBytes - this.#fixedBytes),
    );
    this.#isSmall = this.grid.blocks * (2 + 5 * layers) < mostTileBytes;
    const bytes = endOf(header.spans);
    this.facts = areFactsFew(this.grid, { layers, bytes }, mostTileBytes)
      ? new BlockFacts()
      : undefined;
  }

  /** About what it takes in memory, in bytes. */
  get bytes(): number {
    return this.#fixedBytes + this.#walk.bytes + this.#slices.bytes + this.kept.bytes;
  }

  get #fixedBytes(): number {
    const resolutions = this.grid.components.reduce((sum, own) => sum + own.resolutions.length, 0);
    const { spans, packed } = this.#kind;
    const listed = this.#listed === undefined ? 0 : this.#listed.offsets.length * 16;
    return (
      4_096 +
      resolutions * 1_024 +
      spans.length * 64 +
      (packed?.length ?? 0) +
      listed +
      this.#starts.bytes +
      (this.facts?.bytes ?? 0)
    );
  }

  /** Whether reading broke off in the midst of a packet: then the index is of no use any more. */
  get isSpoilt(): boolean {
    return this.#walk.isSpoilt;
  }

  /** Finds what is stored of the wanted blocks, in the first layers, as far as the tile goes. */
  async know(
    wanted: readonly PrecinctsWanted[],
    layers: number,
    reader: RangeReader,
    signal: AbortSignal,
  ): Promise<KnownBlocks> {
    return this.#turns.take(signal, async () => {
      const breath = new Breath(signal);
      const from = { reader, signal };
      const least = Math.min(layers, this.layers);
      const patience = patienceFor(endOf(this.#kind.spans));
      const again = new PacketReader(this.#kind, from, { breath, patience });
      const work: Work = { wanted, layers: least, breath, reader: again };
      await this.#takeList(breath);
      if (this.#isListed) {
        const blocks = await this.#gather(work);
        if (blocks !== undefined) return blocks;
        this.#distrust();
      }
      const walker = new PacketReader(this.#kind, from, { breath, patience: this.#patience });
      await this.#walkTo(work, walker);
      // What is known between two layers is found again where it is needed.
      if (this.#walk.bytes > mostOpenBytes) this.#walk.forget();
      return (await this.#gather(work)) ?? new KnownSlices();
    });
  }

  /** Where a piece of the tile is in the file; shorter than asked for at the end of a part. */
  placeOf(offset: number, length: number): Pick<Span, "offset" | "length"> {
    return spanAt(this.#kind.spans, offset, length);
  }

  /** Notes where packets start, where that is listed of as many as there are. */
  async #takeList(breath: Breath): Promise<void> {
    const listed = this.#listed;
    if (listed === undefined) return;
    const { offsets, lengths } = listed;
    let number = 0;
    for (const packet of this.#order()) {
      const start = offsets[number];
      const { columns, rows } = packet.resolution.precincts;
      if (start === undefined || columns * rows * this.layers > offsets.length) {
        this.#distrust();
        return;
      }
      this.#starts.set(packet, { start, packed: 0, length: lengths[number] });
      number++;
      if (breath.isDue(1)) await breath.rest();
    }
    this.#isListed = number === offsets.length;
    this.#listed = undefined;
    if (!this.#isListed) this.#starts.clear();
  }

  /** Forgets a list that turned out wrong: the packets have to be walked. */
  #distrust(): void {
    this.#listed = undefined;
    this.#isListed = false;
    this.#starts.clear();
    this.#slices.clear();
    this.facts?.clear();
  }

  async #walkTo(work: Work, reader: PacketReader): Promise<void> {
    const all = new Map(work.wanted.map((one) => [one.resolution, one] as const));
    const errand = {
      keep: (resolution: Resolution, precinct: number, shape: PrecinctShape): readonly number[] => {
        const slices = slicesOf(shape);
        const one = all.get(resolution);
        if (this.#isSmall || this.facts) return Array.from({ length: slices }, (_, slice) => slice);
        if (one === undefined || !isIn(resolution, precinct, one.cells)) return [];
        return widened(slicesWith(shape, slices, one.blocks), slices);
      },
      onRead: (resolution: Resolution, precinct: number, read: OpenPrecinct) => {
        if (this.facts) noteIn(this.facts, resolution, read);
        else this.#slices.keep(resolution, precinct, read.finish());
      },
    };
    let missing = this.#countMissing(work);
    while (missing > 0) {
      const packet = await this.#walk.step(reader, work.breath, errand);
      if (packet === undefined) return;
      const { resolution, precinct, layer } = packet;
      const one = all.get(resolution);
      if (one && layer < work.layers && isIn(resolution, precinct, one.cells)) missing--;
    }
  }

  /** Packets of which it is not known yet where they start. */
  #countMissing({ wanted, layers }: Work): number {
    if (this.#walk.isAtEnd) return 0;
    let missing = 0;
    for (const { resolution, cells } of wanted)
      for (const precinct of precinctsIn(resolution, cells))
        for (let layer = 0; layer < layers; layer++)
          if (this.#starts.of({ resolution, precinct, layer }) === undefined) missing++;
    return missing;
  }

  /** The wanted blocks, read anew where they were forgotten; undefined where a list turned out wrong. */
  async #gather(work: Work): Promise<KnownBlocks | undefined> {
    if (this.facts)
      return (await this.#learn(work, this.facts)) ? new KnownFacts(this.facts) : undefined;
    const found = new KnownSlices();
    for (const one of work.wanted)
      for (const precinct of precinctsIn(one.resolution, one.cells)) {
        if (work.breath.isDue(1)) await work.breath.rest();
        const shape = shapeOf(one.resolution, precinct);
        const known = await this.#slicesOf(one, precinct, shape, work);
        if (known === undefined) return undefined;
        found.add(one, precinct, shape, known);
      }
    return found;
  }

  /** Reads what is not known yet; false where a list turned out wrong. */
  async #learn(work: Work, facts: BlockFacts): Promise<boolean> {
    for (const { resolution, cells } of work.wanted)
      for (const precinct of precinctsIn(resolution, cells)) {
        if (work.breath.isDue(1)) await work.breath.rest();
        const shape = shapeOf(resolution, precinct);
        if (facts.isKnown(resolution, shape.bands)) continue;
        const keep = Array.from({ length: slicesOf(shape) }, (_, slice) => slice);
        const read = await this.#read({ resolution, precinct, layer: 0 }, shape, keep, work);
        if (read === undefined) return false;
        noteIn(facts, resolution, read);
      }
    return true;
  }

  async #slicesOf(
    { resolution, blocks }: PrecinctsWanted,
    precinct: number,
    shape: PrecinctShape,
    work: Work,
  ): Promise<ReadonlyMap<number, Slice> | undefined> {
    const slices = slicesOf(shape);
    const numbers = slicesWith(shape, slices, blocks);
    const known = this.#slices.find(resolution, precinct, { numbers, layers: work.layers });
    const unknown = numbers.filter((number) => !known.has(number));
    if (unknown.length === 0) return known;
    const keep = widened(unknown, slices);
    const read = await this.#read({ resolution, precinct, layer: 0 }, shape, keep, work);
    const slicesRead = read?.finish();
    if (slicesRead === undefined) return undefined;
    for (const [slice, own] of slicesRead) known.set(slice, own);
    this.#slices.keep(resolution, precinct, slicesRead);
    return known;
  }

  /** Reads the first layers of a precinct, as far as it is known where they start; undefined where one is not as listed. */
  async #read(
    { resolution, precinct }: Packet,
    shape: PrecinctShape,
    keep: readonly number[],
    { layers, reader }: Work,
  ): Promise<OpenPrecinct | undefined> {
    const open = new OpenPrecinct(shape, keep);
    for (let layer = 0; layer < layers; layer++) {
      const packet = { resolution, precinct, layer };
      const place = this.#starts.of(packet);
      // What a file that is cut off does not have any more counts as read.
      if (place === undefined || place.start >= reader.source.length) {
        if (this.#isListed && place === undefined) return undefined;
        break;
      }
      const end = await reader.read(packet, open, place);
      if (place.length !== undefined && end?.end !== place.start + place.length) return undefined;
      if (end === undefined) break;
    }
    open.layers = layers;
    return open;
  }
}

interface Work {
  readonly wanted: readonly PrecinctsWanted[];
  readonly layers: number;
  readonly breath: Breath;
  /** For what was passed before. */
  readonly reader: PacketReader;
}

const noteIn = (facts: BlockFacts, resolution: Resolution, read: OpenPrecinct): void =>
  facts.note(resolution, read.shape.bands, read.missing, read.pieces());
