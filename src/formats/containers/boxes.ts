import type { ByteWindow } from "./byte-window.ts";
import { Fields } from "./fields.ts";

/** A box of a JP2 file (ISO/IEC 15444-1, I.4). */
export interface Box {
  /** Four characters, as in `jp2h`. */
  readonly type: string;
  /** Offset of its contents in the file. */
  readonly offset: number;
  /** Length of its contents in bytes, as far as they are in the file. */
  readonly length: number;
  /** Missing bytes of its contents: 0, unless the range it is in ends before it. */
  readonly missing: number;
  /** Whether its length is stated; the last one may extend to the end of the file. */
  readonly bounded: boolean;
}

/** A range of bytes to search for boxes; the end is exclusive. */
export interface SearchRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Consecutive boxes in a range, at most `maxBoxes` of them. Ends at an invalid length: what follows
 * cannot be boxes.
 */
export const boxesIn = async function* (
  window: ByteWindow,
  { from, to }: SearchRange,
): AsyncGenerator<Box> {
  let at = from;
  for (let count = 0; count < maxBoxes && at + shortHeader <= to; count++) {
    const box = headerOf(await window.at(at, longHeader), { from: at, to });
    if (box === undefined) return;
    yield box;
    at = box.offset + box.length;
  }
};

/** Maximum number of boxes examined. */
export const maxBoxes = 1_024;

const shortHeader = 8;
const longHeader = 16;

const headerOf = (bytes: Uint8Array, { from, to }: SearchRange): Box | undefined => {
  if (bytes.length < shortHeader) return undefined;
  const fields = new Fields("a box", bytes);
  const stated = fields.long();
  const type = Buffer.from(fields.bytes(4)).toString("latin1");
  if (stated === 1 && bytes.length < longHeader) return undefined;
  const header = stated === 1 ? longHeader : shortHeader;
  // 0: to the end; 1: the length follows in eight bytes.
  const length =
    stated === 0 ? to - from : stated === 1 ? fields.long() * 2 ** 32 + fields.long() : stated;
  if (length < header) return undefined;
  const offset = from + header;
  const end = Math.min(from + length, to);
  return {
    type,
    offset,
    length: end - offset,
    missing: from + length - end,
    bounded: stated !== 0,
  };
};
