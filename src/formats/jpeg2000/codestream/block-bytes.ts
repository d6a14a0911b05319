import type { ByteRange } from "../../../core/range-reader.ts";
import { read, type Steps } from "../../../core/steps.ts";
import { damaged } from "../../containers/index.ts";

/** Maximum gap between two pieces that are read together, and maximum bytes of one read. */
const maxBetween = 16_384;
const maxAtOnce = 4_194_304;

/** Pieces of a file and their destinations. */
export class Fetches {
  /** Offset in the file; length in bytes; offset in the destination. */
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];
  readonly #targets: number[] = [];

  /** How many there are. */
  get count(): number {
    return this.#offsets.length;
  }

  add(offset: number, length: number, to: number): void {
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#targets.push(to);
  }

  /** Whether the last one begins where the one before it ends. */
  get isAdjacent(): boolean {
    const last = this.count - 1;
    return this.#offsets[last] === (this.#offsets[last - 1] ?? 0) + (this.#lengths[last - 1] ?? 0);
  }

  /** Removes those that were added after the first `count`. */
  dropAfter(count: number): void {
    for (const list of [this.#offsets, this.#lengths, this.#targets]) list.length = count;
  }

  /** The groups in which they are read: neighbouring pieces together. */
  groups(): Groups {
    const offsets = this.#offsets;
    const order = new Uint32Array(offsets.length);
    for (let number = 0; number < order.length; number++) order[number] = number;
    order.sort((one, other) => (offsets[one] ?? 0) - (offsets[other] ?? 0));
    const groups: Group[] = [];
    let bytes = 0;
    for (let from = 0; from < order.length; ) {
      const group = this.#groupAt(order, from, bytes);
      groups.push(group);
      bytes += group.end - group.start;
      from = group.until;
    }
    return { order, groups, bytes };
  }

  /** The pieces from the one at `from` on that are read together. */
  #groupAt(order: Uint32Array, from: number, to: number): Group {
    const start = this.#offsets[order[from] ?? 0] ?? 0;
    let end = start;
    let until = from;
    for (; until < order.length; until++) {
      const piece = order[until] ?? 0;
      const offset = this.#offsets[piece] ?? 0;
      const newEnd = Math.max(end, offset + (this.#lengths[piece] ?? 0));
      if (until > from && (offset - end > maxBetween || newEnd - start > maxAtOnce)) break;
      end = newEnd;
    }
    return { from, until, start, end, to };
  }

  /**
   * Reads them, and copies each to its destination. Throws `unreadable` where the file is shorter.
   */
  *readInto(target: Uint8Array, { order, groups }: Groups): Steps<void> {
    for (const some of batches(groups)) {
      const all = yield* read(some.map(rangeOf));
      for (const [number, group] of some.entries()) {
        const bytes = whole(group, all[number]);
        for (const piece of order.subarray(group.from, group.until)) {
          const at = (this.#offsets[piece] ?? 0) - group.start;
          const until = at + (this.#lengths[piece] ?? 0);
          target.set(bytes.subarray(at, until), this.#targets[piece] ?? 0);
        }
      }
    }
  }

  /** The offset of each in the groups as read. */
  placesIn({ order, groups }: Groups): Uint32Array {
    const places = new Uint32Array(this.count);
    for (const { from, until, start, to } of groups)
      for (const piece of order.subarray(from, until))
        places[piece] = to + (this.#offsets[piece] ?? 0) - start;
    return places;
  }
}

/** Pieces that are read together, by their indexes in order, and their range of the file. */
interface Group {
  readonly from: number;
  readonly until: number;
  readonly start: number;
  readonly end: number;
  /** Total bytes of the groups before it. */
  readonly to: number;
}

/** How pieces are read. */
export interface Groups {
  /** Their indexes, in file order. */
  readonly order: Uint32Array;
  readonly groups: readonly Group[];
  /** Total bytes of all groups. */
  readonly bytes: number;
}

/** Reads groups one after another. Throws `unreadable` where the file is shorter. */
export function* readGroups(target: Uint8Array, { groups }: Groups): Steps<void> {
  const ranges = groups.map((group) => {
    const range = rangeOf(group);
    return { ...range, into: target.subarray(group.to, group.to + range.length) };
  });
  const all = yield* read(ranges);
  for (const [number, group] of groups.entries()) whole(group, all[number]);
}

const rangeOf = ({ start, end }: Group): ByteRange => ({ offset: start, length: end - start });

const whole = ({ start, end }: Group, bytes: Uint8Array | undefined): Uint8Array =>
  bytes === undefined || bytes.length < end - start ? damaged(`${end} bytes`) : bytes;

/** Maximum number of concurrently read groups, which need memory besides the destination. */
const batches = (groups: readonly Group[]): Group[][] => {
  const all: Group[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const group of groups) {
    const length = group.end - group.start;
    if (bytes + length > maxBeside) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(group);
    bytes += length;
  }
  return all;
};

/** In bytes. */
const maxBeside = 16_777_216;
