import type { Resolution } from "./grid.ts";
import type { Packet } from "./progression.ts";

/** The position of a packet. */
export interface PacketPlace {
  /** Of its header, or of its body if headers are packed, among the bytes of the tile. */
  readonly start: number;
  /** Of its header among packed ones. */
  readonly packed: number;
  /** Its expected length, where listed. */
  readonly length: number | undefined;
}

/** The known positions of a tile's packets. */
export class PacketStarts {
  readonly #layers: number;
  readonly #starts = new Map<Resolution, Float64Array>();
  readonly #packed = new Map<Resolution, Float64Array>();
  readonly #lengths = new Map<Resolution, Uint32Array>();
  #bytes = 0;

  /** For so many layers. */
  constructor(layers: number) {
    this.#layers = layers;
  }

  /** Its memory in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Undefined where unknown. */
  of({ resolution, precinct, layer }: Packet): PacketPlace | undefined {
    const at = precinct * this.#layers + layer;
    const start = this.#starts.get(resolution)?.[at] ?? -1;
    if (start < 0) return undefined;
    const packed = this.#packed.get(resolution)?.[at] ?? 0;
    return { start, packed, length: this.#lengths.get(resolution)?.[at] };
  }

  set({ resolution, precinct, layer }: Packet, { start, packed, length }: PacketPlace): void {
    const { columns, rows } = resolution.precincts;
    const count = columns * rows * this.#layers;
    const at = precinct * this.#layers + layer;
    this.#array(this.#starts, resolution, () => new Float64Array(count).fill(-1))[at] = start;
    if (packed > 0)
      this.#array(this.#packed, resolution, () => new Float64Array(count))[at] = packed;
    if (length !== undefined)
      this.#array(this.#lengths, resolution, () => new Uint32Array(count))[at] = length;
  }

  clear(): void {
    this.#starts.clear();
    this.#packed.clear();
    this.#lengths.clear();
    this.#bytes = 0;
  }

  #array<T extends Float64Array | Uint32Array>(
    all: Map<Resolution, T>,
    resolution: Resolution,
    make: () => T,
  ): T {
    let own = all.get(resolution);
    if (own === undefined) {
      own = make();
      all.set(resolution, own);
      this.#bytes += own.byteLength;
    }
    return own;
  }
}
