import { fail } from "../../../core/errors.ts";
import { type Box, type ByteWindow, boxesIn } from "../../containers/index.ts";

/** Part of a file, in bytes. */
type BoxRange = Pick<Box, "offset" | "length">;

/** Length of the version and flags at the start of a full box (ISO/IEC 14496-12, 4.2). */
export const fullBox = 4;

/**
 * The boxes in a box, or in a whole file; `skip` bytes of its contents come before them. At most
 * `maxBoxes`.
 */
export const childrenOf = async (
  window: ByteWindow,
  { offset, length }: BoxRange,
  skip = 0,
): Promise<readonly Box[]> => {
  const boxes: Box[] = [];
  const stretch = { from: offset + skip, to: offset + length };
  for await (const box of boxesIn(window, stretch)) boxes.push(box);
  return boxes;
};

/**
 * Follows a path of box types downward, taking the first of each; undefined where one is missing.
 */
export const boxAt = async (
  window: ByteWindow,
  from: BoxRange,
  ...path: readonly string[]
): Promise<Box | undefined> => {
  let box: BoxRange = from;
  for (const wanted of path) {
    const found = (await childrenOf(window, box)).find(({ type }) => type === wanted);
    if (found === undefined) return undefined;
    box = found;
  }
  return box as Box;
};

/**
 * The contents of a box, at most `max` bytes of them. Throws `unreadable` where the file ends
 * before `min` bytes.
 */
export const contentsOf = async (
  window: ByteWindow,
  { offset, length }: BoxRange,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): Promise<Buffer> => {
  const wanted = Math.min(length, max);
  const bytes = (await window.at(offset, wanted)).subarray(0, wanted);
  if (bytes.length < min) return fail("unreadable", "Truncated box in the file.");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};
