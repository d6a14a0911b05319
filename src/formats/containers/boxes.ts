import type { ByteWindow } from "./byte-window.ts";
import { Fields } from "./fields.ts";

/** A box of a JP2 file (ISO/IEC 15444-1, I.4). */
export interface Box {
  /** Four characters, as in `jp2h`. */
  readonly type: string;
  /** Where its contents begin, in bytes of the file. */
  readonly offset: number;
  /** Of its contents, in bytes; what a truncated file lacks is not counted. */
  readonly length: number;
  /** How many bytes its contents lack: 0, unless the stretch it is in ends before it. */
  readonly missing: number;
  /** Whether it says where it ends; the last one may go on to the end of the file. */
  readonly bounded: boolean;
}

/** Where boxes are looked for: from one byte of the file to before another. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * The boxes that lie one behind the other in a stretch, at most `maxBoxes` of them. Ends where a
 * length cannot be one: what comes behind is no boxes.
 */
export const boxesIn = async function* (
  window: ByteWindow,
  { from, to }: Stretch,
): AsyncGenerator<Box> {
  let at = from;
  for (let count = 0; count < maxBoxes && at + shortHeader <= to; count++) {
    const box = headerOf(await window.at(at, longHeader), { from: at, to });
    if (box === undefined) return;
    yield box;
    at = box.offset + box.length;
  }
};

/** Beyond this many, boxes are not looked at. */
export const maxBoxes = 1_024;

const shortHeader = 8;
const longHeader = 16;

const headerOf = (bytes: Uint8Array, { from, to }: Stretch): Box | undefined => {
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
