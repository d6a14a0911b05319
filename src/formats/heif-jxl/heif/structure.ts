import { ServerError } from "../../../core/errors.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import { type Box, ByteWindow } from "../../containers/index.ts";
import { childrenOf } from "./children.ts";
import { type Items, itemsIn } from "./items.ts";
import { type SequenceTracks, tracksIn } from "./tracks.ts";

/** The structure of a HEIF file (ISO/IEC 23008-12) by its boxes. */
export interface HeifStructure {
  /** Absent in files without the box `meta`. */
  readonly items?: Items;
  /** Absent in files without a track of images. */
  readonly tracks?: SequenceTracks;
}

/** Parses the boxes of a HEIF file; undefined where they are corrupt. */
export const structureOf = async (
  reader: RangeReader,
  signal: AbortSignal,
): Promise<HeifStructure | undefined> => {
  const window = new ByteWindow(reader, reader.size, signal);
  try {
    const boxes = await childrenOf(window, { offset: 0, length: reader.size });
    const first = (type: string): Box | undefined => boxes.find((box) => box.type === type);
    const [meta, movie] = [first("meta"), first("moov")];
    const items = meta && (await itemsIn(window, meta));
    const tracks = movie && (await tracksIn(window, movie));
    return { ...(items && { items }), ...(tracks && { tracks }) };
  } catch (error) {
    // The decoder, which is more lenient, may still read the image.
    if (error instanceof ServerError && error.failure === "unreadable") return undefined;
    throw error;
  }
};
