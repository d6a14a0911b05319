import { fail } from "../../core/errors.ts";

/** A box in a file, with its header (ISO/IEC 14496-12, 4.2). */
export interface IsoBox {
  readonly type: string;
  readonly at: number;
  readonly bytes: Buffer;
}

/** Bytes of a length and a type, and of version and flags after them. */
export const head = 8;
export const fullHead = 12;

/**
 * The boxes of a newly encoded file, or of a box in it, from an offset on, to the end or up to the
 * first of type `last`. Throws `internal` where one does not fit.
 */
export const isoBoxesIn = (bytes: Buffer, from: number, last?: string): readonly IsoBox[] => {
  const boxes: IsoBox[] = [];
  for (let at = from; at < bytes.length && boxes.at(-1)?.type !== (last ?? ""); ) {
    const length = at + head <= bytes.length ? bytes.readUInt32BE(at) : 0;
    if (length < head || at + length > bytes.length)
      return fail(
        "internal",
        `Expected a box at byte ${at} of ${bytes.length} in the encoder's output.`,
      );
    const type = bytes.toString("latin1", at + 4, at + head);
    boxes.push({ type, at, bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  return boxes;
};

/** The first box of a type; throws `internal` where there is none. */
export const childIn = (boxes: readonly IsoBox[], wanted: string): IsoBox =>
  boxes.find(({ type }) => type === wanted) ??
  fail("internal", `Expected the encoder to write a box '${wanted}'.`);

/** A box with its header. */
export const boxOf = (type: string, contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const start = Buffer.alloc(head);
  start.writeUInt32BE(head + content.length);
  start.write(type, 4, "latin1");
  return Buffer.concat([start, content]);
};
