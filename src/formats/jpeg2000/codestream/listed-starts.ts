import type { PacketPlaces } from "./packet-lengths.ts";
import type { PacketStarts } from "./packet-starts.ts";
import type { Packet } from "./progression.ts";
import type { WorkBudget } from "./work-budget.ts";

/**
 * What a file's lists say of where the packets of a tile start: believed until it turns out wrong.
 */
export class ListedStarts {
  readonly #order: () => Generator<Packet>;
  readonly #layers: number;
  readonly #starts: PacketStarts;
  /** What is listed, until it is put in order. */
  #places: PacketPlaces | undefined;
  #areRecorded = false;

  /** Of packets in such an order, of so many layers; what is listed of them goes into `starts`. */
  constructor(
    places: PacketPlaces | undefined,
    order: () => Generator<Packet>,
    layers: number,
    starts: PacketStarts,
  ) {
    this.#places = places;
    this.#order = order;
    this.#layers = layers;
    this.#starts = starts;
  }

  /** Whether all starts are known by a list. */
  get areRecorded(): boolean {
    return this.#areRecorded;
  }

  /** What it takes in memory, in bytes. */
  get bytes(): number {
    return this.#places === undefined ? 0 : this.#places.offsets.length * 16;
  }

  /** Notes where packets start, where that is listed of as many as there are. */
  async take(workBudget: WorkBudget): Promise<void> {
    const listed = this.#places;
    if (listed === undefined) return;
    const { offsets, lengths } = listed;
    let number = 0;
    for (const packet of this.#order()) {
      const start = offsets[number];
      const { columns, rows } = packet.resolution.precincts;
      if (start === undefined || columns * rows * this.#layers > offsets.length) {
        this.distrust();
        return;
      }
      this.#starts.set(packet, { start, packed: 0, length: lengths[number] });
      number++;
      if (workBudget.isDue(1)) await workBudget.rest();
    }
    this.#areRecorded = number === offsets.length;
    this.#places = undefined;
    if (!this.#areRecorded) this.#starts.clear();
  }

  /** Forgets a list that turned out wrong: the packets have to be walked. */
  distrust(): void {
    this.#places = undefined;
    this.#areRecorded = false;
    this.#starts.clear();
  }
}
