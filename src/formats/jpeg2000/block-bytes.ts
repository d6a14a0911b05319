import type { RangeReader } from "../../core/range-reader.ts";
import { damaged } from "./fields.ts";

/** Bytes of the file that are to be put somewhere. */
export interface Fetch {
  /** In the file. */
  readonly offset: number;
  readonly length: number;
  /** In what they are put into. */
  readonly to: number;
}

/** Bytes between two pieces that are rather read than left out, and how many are read at once. */
const mostBetween = 16_384;
const mostAtOnce = 4_194_304;
const readsAtOnce = 4;

/** Reads pieces of a file into `target`; what lies near together is read at once. Throws `unreadable` where the file is shorter. */
export const fetchAll = async (
  pieces: readonly Fetch[],
  target: Uint8Array,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<void> => {
  const groups = grouped([...pieces].sort((one, other) => one.offset - other.offset));
  let next = 0;
  const work = async (): Promise<void> => {
    for (let group = groups[next++]; group !== undefined; group = groups[next++])
      await fetchGroup(group, target, reader, signal);
  };
  await Promise.all(Array.from({ length: Math.min(readsAtOnce, groups.length) }, work));
};

const grouped = (sorted: readonly Fetch[]): Fetch[][] => {
  const groups: Fetch[][] = [];
  let start = 0;
  let end = 0;
  for (const piece of sorted) {
    const group = groups.at(-1);
    const newEnd = Math.max(end, piece.offset + piece.length);
    if (group && piece.offset - end <= mostBetween && newEnd - start <= mostAtOnce) {
      group.push(piece);
      end = newEnd;
    } else {
      groups.push([piece]);
      start = piece.offset;
      end = piece.offset + piece.length;
    }
  }
  return groups;
};

const fetchGroup = async (
  group: readonly Fetch[],
  target: Uint8Array,
  reader: RangeReader,
  signal: AbortSignal,
): Promise<void> => {
  const start = group[0]?.offset ?? 0;
  const end = group.reduce((last, { offset, length }) => Math.max(last, offset + length), start);
  const bytes = await reader.read(start, end - start, signal);
  if (bytes.length < end - start) damaged(`${end} bytes`);
  for (const { offset, length, to } of group)
    target.set(bytes.subarray(offset - start, offset - start + length), to);
};
