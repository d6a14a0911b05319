import type { PacketPlaces } from "./packet-lengths.ts";
import type { PacketStarts } from "./packet-starts.ts";
import type { Packet } from "./progression.ts";
import type { WorkBudget } from "./work-budget.ts";

/** Packet positions from a file's own lists: used until they turn out wrong. */
export class ListedStarts {
  readonly #order: () => Generator<Packet>;
  readonly #layers: number;
  readonly #starts: PacketStarts;
  /** The list, until it is put in order. */
  #places: PacketPlaces | undefined;
  #areRecorded = false;

  /** Of packets in a given order and number of layers; listed positions are stored in `starts`. */
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

  /** Whether a list provides all positions. */
  get areRecorded(): boolean {
    return this.#areRecorded;
  }

  /** Its memory in bytes. */
  get bytes(): number {
    return this.#places === undefined ? 0 : this.#places.offsets.length * 16;
  }

  /** Records the positions of packets, where the list is complete. */
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

  /** Discards a list that turned out wrong: the packets have to be walked. */
  distrust(): void {
    this.#places = undefined;
    this.#areRecorded = false;
    this.#starts.clear();
  }
}
