import { type Box, type ByteWindow, boxesIn, Fields } from "../../containers/index.ts";
import { type FileBytes, type Jpeg2000File, readFile } from "./file.ts";
import { readOwnHeader } from "./header.ts";

/** Maximum number of codestreams that are pages. */
const maxCodestreams = 100;

/** Maximum length of lists. */
const longestList = 65_536;

/**
 * The codestreams after the first of a JPX (ISO/IEC 15444-2, annex M) whose bytes are complete, in
 * stored order: each with its own header box and the first compositing layer that uses it, with
 * defaults from the JP2 header (M.11.6, M.11.7). Fragments of other files are not followed. Throws
 * `unreadable` where a header is incomplete.
 */
export const readFurtherCodestreams = async (
  bytes: FileBytes,
): Promise<readonly Jpeg2000File[]> => {
  const { window } = bytes;
  const { places, codestreams, layers } = await extendedBoxes(bytes);
  if (places.length < 2) return [];
  // The size stated for the first codestream does not apply to others.
  const { size: _, ...shared } = (await readFile(bytes)).header;
  const uses = await usesOf(window, layers);
  const further: Jpeg2000File[] = [];
  for (const [number, { offset, length, missing }] of places.entries()) {
    if (number === 0 || missing > 0) continue;
    const layer = layers[uses.findIndex((used) => used.includes(number))];
    const boxes = [codestreams[number], layer].filter((box) => box !== undefined);
    const own = await readOwnHeader(window, boxes);
    const header = { ...shared, ...own, bytes: shared.bytes + own.bytes };
    further.push({ place: { offset, length }, header });
  }
  return further;
};

interface ExtendedBoxes {
  readonly places: readonly Box[];
  /** Headers of codestreams and of compositing layers. */
  readonly codestreams: readonly Box[];
  readonly layers: readonly Box[];
}

/** The parts of a file that declares itself a JPX; empty for all others. */
const extendedBoxes = async ({ reader, window }: FileBytes): Promise<ExtendedBoxes> => {
  const boxes: Box[] = [];
  for await (const box of boxesIn(window, { from: 0, to: reader.size })) boxes.push(box);
  const all = (type: string): readonly Box[] =>
    boxes.filter((box) => box.type === type).slice(0, maxCodestreams);
  const [brands] = all("ftyp");
  const isExtended = brands !== undefined && (await hasBrand(window, brands));
  return isExtended
    ? { places: all("jp2c"), codestreams: all("jpch"), layers: all("jplh") }
    : { places: [], codestreams: [], layers: [] };
};

const hasBrand = async (window: ByteWindow, { offset, length }: Box): Promise<boolean> => {
  const size = Math.min(length, longestList);
  const bytes = Buffer.from((await window.at(offset, size)).subarray(0, size));
  for (let at = 0; at + 4 <= bytes.length; at += 4)
    if (bytes.toString("latin1", at, at + 4) === "jpx ") return true;
  return false;
};

/**
 * The codestreams of each layer (creg, M.11.7.7); without such a box, the one of its own number.
 */
const usesOf = async (
  window: ByteWindow,
  layers: readonly Box[],
): Promise<readonly (readonly number[])[]> => {
  const uses: (readonly number[])[] = [];
  for (const [layer, { offset, length }] of layers.entries()) {
    let codestreams: readonly number[] = [layer];
    for await (const box of boxesIn(window, { from: offset, to: offset + length }))
      if (box.type === "creg" && box.length <= longestList) {
        const bytes = (await window.at(box.offset, box.length)).subarray(0, box.length);
        codestreams = registered(new Fields("the box 'creg'", bytes));
      }
    uses.push(codestreams);
  }
  return uses;
};

const registered = (fields: Fields): readonly number[] => {
  const numbers: number[] = [];
  // The grid that the rest refers to.
  fields.bytes(4);
  while (fields.left >= registrationBytes) {
    numbers.push(fields.short());
    fields.bytes(registrationBytes - 2);
  }
  return numbers;
};

/** A number, two steps and two offsets. */
const registrationBytes = 6;
