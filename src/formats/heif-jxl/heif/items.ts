import type { Box, ByteWindow } from "../../containers/index.ts";
import { readItems, readLocations } from "../../metadata/index.ts";
import { childrenOf, contentsOf, fullBox } from "./children.ts";

/** The items of a HEIF file (ISO/IEC 14496-12, 8.11). */
export interface Items {
  /** ID of the primary item; absent where the file names none. */
  readonly primary?: number;
  /** Type of each item, as in `hvc1`, by its ID. */
  readonly types: ReadonlyMap<number, string>;
  /** IDs of the items that a derived item is made of. */
  readonly inputs: ReadonlyMap<number, readonly number[]>;
  /** Offset of the items' data in the file. */
  readonly begins: ReadonlySet<number>;
}

/** Maximum length of lists of items, their locations and references in bytes. */
const longestList = 1_048_576;

/** Parses the lists in the box `meta`; throws `unreadable` where they are corrupt. */
export const itemsIn = async (window: ByteWindow, meta: Box): Promise<Items> => {
  const boxes = await childrenOf(window, meta, fullBox);
  const listed = async (type: string): Promise<Buffer | undefined> => {
    const box = boxes.find((one) => one.type === type);
    if (box === undefined || box.length > longestList) return undefined;
    return contentsOf(window, box, { min: fullBox, max: longestList });
  };
  const primary = primaryIn(await listed("pitm"));
  const places = await listed("iloc");
  const infos = await listed("iinf");
  const references = boxes.find(({ type }) => type === "iref");
  return {
    ...(primary === undefined ? {} : { primary }),
    types: new Map(infos === undefined ? [] : readItems(infos).map(({ id, type }) => [id, type])),
    inputs: references === undefined ? new Map() : await inputsIn(window, references),
    begins: new Set(places === undefined ? [] : beginsIn(places)),
  };
};

const primaryIn = (bytes: Buffer | undefined): number | undefined => {
  if (bytes === undefined) return undefined;
  const isLong = bytes[0] !== 0;
  if (bytes.length < fullBox + (isLong ? 4 : 2)) return undefined;
  return isLong ? bytes.readUInt32BE(fullBox) : bytes.readUInt16BE(fullBox);
};

const beginsIn = (places: Buffer): number[] =>
  [...readLocations(places).values()].flatMap(({ isInData, extents }) => {
    const [first] = extents;
    return isInData || first === undefined ? [] : [first.offset];
  });

/** The references of type `dimg` (ISO/IEC 23008-12, 6.4.7). */
const inputsIn = async (
  window: ByteWindow,
  references: Box,
): Promise<ReadonlyMap<number, readonly number[]>> => {
  const { length } = references;
  const version = (await contentsOf(window, references, { min: fullBox, max: fullBox }))[0];
  const bytes = version === 0 ? 2 : 4;
  const inputs = new Map<number, readonly number[]>();
  if (length > longestList) return inputs;
  for (const box of await childrenOf(window, references, fullBox)) {
    if (box.type !== "dimg") continue;
    const list = await contentsOf(window, box, { min: bytes + 2, max: longestList });
    const count = Math.min(list.readUInt16BE(bytes), Math.floor((list.length - bytes - 2) / bytes));
    const ids = Array.from({ length: count }, (_, at) =>
      list.readUIntBE(bytes + 2 + at * bytes, bytes),
    );
    inputs.set(list.readUIntBE(0, bytes), ids);
  }
  return inputs;
};
