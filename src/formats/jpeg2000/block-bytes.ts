import type { RangeReader, ReadAtOnce } from "../../core/range-reader.ts";
import { damaged } from "./fields.ts";

/** Bytes between two pieces that are rather read than left out, and how many are read at once. */
const mostBetween = 16_384;
const mostAtOnce = 4_194_304;
const readsAtOnce = 4;

/** Pieces of a file that are to be put somewhere. */
export class Fetches {
  /** In the file; in bytes; in what they are put into. */
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

  /** Whether the last one is where the one before it ends. */
  get isAdjacent(): boolean {
    const last = this.count - 1;
    return this.#offsets[last] === (this.#offsets[last - 1] ?? 0) + (this.#lengths[last - 1] ?? 0);
  }

  /** Leaves those out that were added after the first `count`. */
  dropAfter(count: number): void {
    for (const list of [this.#offsets, this.#lengths, this.#targets]) list.length = count;
  }

  /** How they are read: what lies near together at once. */
  groups(): Groups {
    const offsets = this.#offsets;
    const order = Uint32Array.from(offsets, (_, number) => number);
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
      if (until > from && (offset - end > mostBetween || newEnd - start > mostAtOnce)) break;
      end = newEnd;
    }
    return { from, until, start, end, to };
  }

  /** Reads them, and puts each where it belongs. Throws `unreadable` where the file is shorter. */
  readInto(target: Uint8Array, { order, groups }: Groups, from: ReadFrom): Promise<void> {
    return forEach(groups, async (group) => {
      const bytes = await readGroup(group, from);
      for (const piece of order.subarray(group.from, group.until)) {
        const at = (this.#offsets[piece] ?? 0) - group.start;
        const until = at + (this.#lengths[piece] ?? 0);
        target.set(bytes.subarray(at, until), this.#targets[piece] ?? 0);
      }
    });
  }

  /** Where each is once the groups have been read as they are. */
  placesIn({ order, groups }: Groups): Uint32Array {
    const places = new Uint32Array(this.count);
    for (const { from, until, start, to } of groups)
      for (const piece of order.subarray(from, until))
        places[piece] = to + (this.#offsets[piece] ?? 0) - start;
    return places;
  }
}

/** Pieces that are read together, by their places in order, and the part of the file that has them. */
interface Group {
  readonly from: number;
  readonly until: number;
  readonly start: number;
  readonly end: number;
  /** How many bytes the groups before it have. */
  readonly to: number;
}

/** How pieces are read. */
export interface Groups {
  /** Their numbers, by where they are in the file. */
  readonly order: Uint32Array;
  readonly groups: readonly Group[];
  /** Of all groups together. */
  readonly bytes: number;
}

interface ReadFrom {
  readonly reader: RangeReader;
  readonly signal: AbortSignal;
}

/** Reads groups one behind another. Throws `unreadable` where the file is shorter. */
export const readGroups = (target: Uint8Array, { groups }: Groups, from: ReadFrom): Promise<void> =>
  forEach(groups, async (group) => {
    const into = target.subarray(group.to, group.to + group.end - group.start);
    const bytes = await readGroup(group, from, into);
    if (bytes.buffer !== into.buffer) into.set(bytes);
  });

/** As `readGroups`, where nobody need wait for it; false where they cannot all be had so. */
export const readGroupsAtOnce = (
  target: Uint8Array,
  { groups }: Groups,
  read: ReadAtOnce,
): boolean =>
  groups.every(({ start, end, to }) => {
    const into = target.subarray(to, to + end - start);
    return read(start, end - start, into)?.length === end - start;
  });

const readGroup = async (
  { start, end }: Group,
  { reader, signal }: ReadFrom,
  into?: Uint8Array,
): Promise<Uint8Array> => {
  const bytes = await reader.read(start, end - start, signal, into);
  return bytes.length < end - start ? damaged(`${end} bytes`) : bytes;
};

/**
 * Reads some groups at a time. Where one fails, no other is begun, and it fails only once nothing is read any more: what
 * is read into may be somebody else's afterwards.
 */
const forEach = async (
  groups: readonly Group[],
  read: (group: Group) => Promise<void>,
): Promise<void> => {
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let group = groups[next++]; group !== undefined; group = groups[next++]) {
      if (failures.length > 0) return;
      await read(group).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(readsAtOnce, groups.length) }, work));
  if (failures.length > 0) throw failures[0];
};
