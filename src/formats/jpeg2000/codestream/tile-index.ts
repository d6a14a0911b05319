import { hash } from "node:crypto";
import type { RangeReader } from "../../../core/range-reader.ts";
import { damaged } from "../../containers/index.ts";
import { areFactsFew, BlockFacts } from "./block-facts.ts";
import { KeptBlocks } from "./cached-blocks.ts";
import { type Resolution, type TileGrid, tileGrid } from "./grid.ts";
import { type KnownBlocks, KnownSlices } from "./known-blocks.ts";
import { LearnedFacts } from "./learned-facts.ts";
import { LearnedSlices } from "./learned-slices.ts";
import type { Learned, TileRequest } from "./learning.ts";
import { ListedStarts } from "./listed-starts.ts";
import type { MainHeader } from "./main-header.ts";
import type { OpenPrecinct } from "./open-precinct.ts";
import {
  type PacketKind,
  PacketReader,
  type VisitBudget,
  visitBudgetFor,
} from "./packet-reader.ts";
import { PacketStarts } from "./packet-starts.ts";
import { ofComponent } from "./parameters.ts";
import { isIn, type PrecinctShape, type PrecinctsWanted, precinctsIn } from "./precincts.ts";
import { packetsInOrder } from "./progression.ts";
import { SerialWork } from "./serial-work.ts";
import type { TileKey } from "./shared-blocks.ts";
import { TreeShapes } from "./tag-tree.ts";
import { endOf, spanAt } from "./tile-bytes.ts";
import type { PacketSpan, TileHeader } from "./tile-header.ts";
import { PacketWalk } from "./walk.ts";
import type { WorkBudget } from "./work-budget.ts";

/** Memory limit for the positions of a tile's blocks; others are located again on demand. */
const maxTileBytes = 5_767_168;
/** Memory limit for precincts between two layers. */
const maxOpenBytes = 1_048_576;
/** Memory limit for the numbers of a tile's cached blocks, of eight bytes each. */
const maxPackets = 2 ** 23;

const checkPackets = ({ components }: TileGrid, layers: number): void => {
  let packets = 0;
  for (const { resolutions } of components)
    for (const { precincts } of resolutions) packets += precincts.columns * precincts.rows * layers;
  if (packets > maxPackets) damaged(`at most ${maxPackets} packets in a tile and not ${packets}`);
};

const keyOf = ({ identity, place }: MainHeader, tile: number): TileKey | undefined => {
  if (identity === undefined) return undefined;
  const digest = hash("sha256", JSON.stringify([identity, place.offset, tile]), "buffer");
  return Int32Array.from([0, 4, 8, 12], (at) => digest.readInt32LE(at));
};

/** Minimum that allows a few requests. */
const minSliceBytes = 1_048_576;

/**
 * The positions of a tile's blocks. Packet headers are read only as far as needed: only the
 * requested ones where their positions are known, from lists or earlier reads, else all up to the
 * last requested one.
 */
export class TileIndex {
  readonly grid: TileGrid;
  /** Whether the first three components become RGB only together. */
  readonly transformed: boolean;
  /** Number of layers; fewer may be requested. */
  readonly layers: number;
  /** The cached decoded blocks, by number in the grid. */
  readonly kept: KeptBlocks;
  /** Identifies the tile in all processes; absent where its file cannot be identified. */
  readonly key: TileKey | undefined;
  /** The known stored data of the blocks; absent where that would need too much memory. */
  readonly facts: BlockFacts | undefined;
  readonly #kind: PacketKind;
  readonly #starts: PacketStarts;
  readonly #listed: ListedStarts;
  readonly #learned: Learned;
  readonly #turns = new SerialWork();
  /** Created once for the walk. */
  readonly #patience: VisitBudget;
  readonly #walk: PacketWalk;

  constructor(main: MainHeader, tile: number, header: TileHeader) {
    const { parameters } = main;
    const own = header.parameters;
    const coding = own.coding ?? parameters.coding;
    this.grid = tileGrid(main.header, tile, (component) => ofComponent(parameters, own, component));
    this.kept = new KeptBlocks(this.grid.blocks);
    this.key = keyOf(main, tile);
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
    const { layers, progression } = coding;
    checkPackets(this.grid, layers);
    const changes = own.changes.length > 0 ? own.changes : parameters.changes;
    const steps = main.header.components;
    const order = () => packetsInOrder({ grid: this.grid, steps, layers, progression, changes });
    this.#starts = new PacketStarts(layers);
    this.#listed = new ListedStarts(header.places, order, layers, this.#starts);
    this.#walk = new PacketWalk(order(), layers, this.#starts);
    const bytes = endOf(header.spans);
    this.#patience = visitBudgetFor(bytes);
    this.facts = areFactsFew(this.grid, { layers, bytes }, maxTileBytes)
      ? new BlockFacts()
      : undefined;
    this.#learned =
      this.facts === undefined
        ? new LearnedSlices(() => Math.max(minSliceBytes, maxTileBytes - this.#fixedBytes), {
            isSmall: this.grid.blocks * (2 + 5 * layers) < maxTileBytes,
          })
        : new LearnedFacts(this.facts);
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.#fixedBytes + this.#walk.bytes + this.#learned.bytes + this.kept.bytes;
  }

  get #fixedBytes(): number {
    const resolutions = this.grid.components.reduce((sum, own) => sum + own.resolutions.length, 0);
    const { spans, packed } = this.#kind;
    return (
      4_096 +
      resolutions * 1_024 +
      spans.length * 64 +
      (packed?.length ?? 0) +
      this.#listed.bytes +
      this.#starts.bytes
    );
  }

  /** Whether reading was interrupted within a packet: then the index is no longer usable. */
  get isSpoilt(): boolean {
    return this.#walk.isSpoilt;
  }

  /**
   * Finds the stored data of the requested blocks, in the first layers, as far as the tile goes.
   */
  async know(
    precincts: readonly PrecinctsWanted[],
    layers: number,
    reader: RangeReader,
    workBudget: WorkBudget,
  ): Promise<KnownBlocks> {
    const { signal } = workBudget;
    const from = { reader, signal };
    return this.#turns.take(from, async () => {
      const min = Math.min(layers, this.layers);
      const patience = visitBudgetFor(endOf(this.#kind.spans));
      const again = new PacketReader(this.#kind, from, { workBudget, patience });
      const wanted: TileRequest = {
        precincts,
        layers: min,
        workBudget,
        reader: again,
        starts: this.#starts,
        listed: this.#listed,
      };
      await this.#listed.take(workBudget);
      if (this.#listed.areRecorded) {
        const blocks = await this.#learned.gather(wanted);
        if (blocks !== undefined) return blocks;
        this.#listed.distrust();
        this.#learned.clear();
      }
      const walker = new PacketReader(this.#kind, from, { workBudget, patience: this.#patience });
      await this.#walkTo(wanted, walker);
      // State between two layers is read again on demand.
      if (this.#walk.bytes > maxOpenBytes) this.#walk.forget();
      return (await this.#learned.gather(wanted)) ?? new KnownSlices();
    });
  }

  /**
   * The position in the file of a piece of the tile; shorter than requested at the end of a part.
   */
  placeOf(offset: number, length: number): Pick<PacketSpan, "offset" | "length"> {
    return spanAt(this.#kind.spans, offset, length);
  }

  async #walkTo(wanted: TileRequest, reader: PacketReader): Promise<void> {
    const all = new Map(wanted.precincts.map((one) => [one.resolution, one] as const));
    const errand = {
      keep: (resolution: Resolution, precinct: number, shape: PrecinctShape): readonly number[] =>
        this.#learned.slicesToKeep(shape, precinct, all.get(resolution)),
      onRead: (resolution: Resolution, precinct: number, read: OpenPrecinct) =>
        this.#learned.keep(resolution, precinct, read),
    };
    let missing = this.#countMissing(wanted);
    while (missing > 0) {
      const packet = await this.#walk.step(reader, wanted.workBudget, errand);
      if (packet === undefined) return;
      const { resolution, precinct, layer } = packet;
      const one = all.get(resolution);
      if (one && layer < wanted.layers && isIn(resolution, precinct, one.cells)) missing--;
    }
  }

  /** Packets of unknown position. */
  #countMissing({ precincts, layers }: TileRequest): number {
    if (this.#walk.isAtEnd) return 0;
    let missing = 0;
    for (const { resolution, cells } of precincts)
      for (const precinct of precinctsIn(resolution, cells))
        for (let layer = 0; layer < layers; layer++)
          if (this.#starts.of({ resolution, precinct, layer }) === undefined) missing++;
    return missing;
  }
}
