import { damaged } from "../../containers/index.ts";
import type { Resolution } from "./grid.ts";
import { OpenPrecinct } from "./open-precinct.ts";
import type { PacketReader } from "./packet-reader.ts";
import type { PacketStarts } from "./packet-starts.ts";
import { type PrecinctShape, shapeOf } from "./precincts.ts";
import type { Packet } from "./progression.ts";
import { piecesOf, type WorkBudget } from "./work-budget.ts";

/** The callbacks of a walk, for each precinct. */
export interface BackgroundJob {
  /** The slices whose pieces are to be stored. */
  readonly keep: (
    resolution: Resolution,
    precinct: number,
    shape: PrecinctShape,
  ) => readonly number[];
  /** All layers of a precinct were read. */
  readonly onRead: (resolution: Resolution, precinct: number, read: OpenPrecinct) => void;
}

/** Walks the packets in the order of the file: the position of each depends on all before it. */
export class PacketWalk {
  readonly #packets: Generator<Packet>;
  readonly #layers: number;
  readonly #starts: PacketStarts;
  readonly #open = new Map<Resolution, Map<number, OpenPrecinct>>();
  #count = 0;
  #place = { start: 0, packed: 0 };
  #isAtEnd = false;
  #isSpoilt = false;

  constructor(packets: Generator<Packet>, layers: number, starts: PacketStarts) {
    this.#packets = packets;
    this.#layers = layers;
    this.#starts = starts;
  }

  /** Whether the tile has ended, or cannot be read any further. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** Whether it was interrupted within a packet: then it cannot continue. */
  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  /** Approximate memory. */
  get bytes(): number {
    let bytes = 0;
    for (const open of this.#open.values())
      for (const precinct of open.values()) bytes += precinct.bytes;
    return bytes;
  }

  /** Reads a packet and returns it; undefined at the end. */
  async step(
    reader: PacketReader,
    workBudget: WorkBudget,
    errand: BackgroundJob,
  ): Promise<Packet | undefined> {
    if (this.#isAtEnd) return undefined;
    if (workBudget.isDue(piecesOf.packet)) await workBudget.rest();
    const { value: packet, done } = this.#packets.next();
    if (done === true) {
      this.#isAtEnd = true;
      return undefined;
    }
    const { precinct, end } = await this.#read(packet, reader, errand);
    if (end === undefined) {
      this.#isAtEnd = true;
      return undefined;
    }
    const { start, packed } = this.#place;
    this.#starts.set(packet, { start, packed, length: undefined });
    this.#place = { start: end.end, packed: end.packed };
    if (packet.layer + 1 === this.#layers) this.#close(packet, precinct, errand);
    return packet;
  }

  async #read(packet: Packet, reader: PacketReader, errand: BackgroundJob) {
    try {
      const precinct = await this.#openOf(packet, reader, errand);
      return { precinct, end: await reader.read(packet, precinct, this.#place) };
    } catch (error) {
      this.#isSpoilt = true;
      throw error;
    }
  }

  /** Drops the precincts between two layers. */
  forget(): void {
    this.#open.clear();
    this.#count = 0;
  }

  async #openOf(
    { resolution, precinct, layer }: Packet,
    reader: PacketReader,
    { keep }: BackgroundJob,
  ): Promise<OpenPrecinct> {
    let all = this.#open.get(resolution);
    if (all === undefined) {
      all = new Map();
      this.#open.set(resolution, all);
    }
    let own = all.get(precinct);
    if (own === undefined) {
      const shape = shapeOf(resolution, precinct);
      own = new OpenPrecinct(shape, keep(resolution, precinct, shape));
      for (let before = 0; before < layer; before++) {
        const packet = { resolution, precinct, layer: before };
        const place = this.#starts.of(packet);
        if (place !== undefined) await reader.read(packet, own, place);
      }
      all.set(precinct, own);
      if (++this.#count > maxOpen) damaged(`at most ${maxOpen} precincts between two layers`);
    }
    return own;
  }

  #close({ resolution, precinct }: Packet, own: OpenPrecinct, { onRead }: BackgroundJob): void {
    if (this.#open.get(resolution)?.delete(precinct)) this.#count--;
    onRead(resolution, precinct, own);
  }
}

/** Maximum number: that of an image of 120,000 pixels a side with precincts of 256 at full size. */
const maxOpen = 2 ** 19;
