import { LRUCache } from "lru-cache";
import type { CropKernel } from "./kernel.ts";

/** Huffman tables in a kernel's memory: tiles of a level share theirs. */
export class KernelTables {
  readonly #kernel: CropKernel;
  /** Address for a definition. */
  readonly #definition: number;
  /** Addresses of tables, by kind and definition. */
  readonly #known: LRUCache<string, number>;
  /** Addresses without a table. */
  readonly #free: number[] = [];
  /** The end of its memory. */
  readonly end: number;

  /** From an address on. */
  constructor(kernel: CropKernel, from: number) {
    this.#kernel = kernel;
    this.#definition = from;
    const size = (kernel.tableBytes() + 63) & ~63;
    const first = from + maxDefinition;
    for (let number = 0; number < maxTables; number++) this.#free.push(first + number * size);
    this.end = first + maxTables * size;
    this.#known = new LRUCache<string, number>({
      max: maxTables,
      dispose: (address) => this.#free.push(address),
    });
  }

  /** The address of a table; undefined for an invalid definition. */
  of(definition: Uint8Array, isDc: boolean): number | undefined {
    const { buffer, byteOffset, length } = definition;
    if (length > maxDefinition) return undefined;
    const key = `${isDc} ${Buffer.from(buffer, byteOffset, length).toString("latin1")}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // The least recently used table makes room.
    if (this.#free.length === 0) this.#known.pop();
    const table = this.#free.pop();
    if (table === undefined) return undefined;
    const bytes = new Uint8Array(this.#kernel.memory.buffer);
    bytes.set(definition, this.#definition);
    if (this.#kernel.addTable(table, this.#definition, isDc ? 1 : 0) === 0) {
      this.#free.push(table);
      return undefined;
    }
    this.#known.set(key, table);
    return table;
  }
}

/** Bytes of a definition at most: 16 counts, and 256 symbols. */
const maxDefinition = 320;
/** More than a JPEG has. */
const maxTables = 32;
