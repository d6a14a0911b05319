import type { Resolution } from "./grid.ts";
import type { KnownBlocks } from "./known-blocks.ts";
import type { ListedStarts } from "./listed-starts.ts";
import { OpenPrecinct } from "./open-precinct.ts";
import type { PacketReader } from "./packet-reader.ts";
import type { PacketStarts } from "./packet-starts.ts";
import type { PrecinctShape, PrecinctsWanted } from "./precincts.ts";
import { piecesOf, type WorkBudget } from "./work-budget.ts";

/** What has to be known of a tile, and what it is found by. */
export interface TileRequest {
  readonly precincts: readonly PrecinctsWanted[];
  /** So many layers, from the first on. */
  readonly layers: number;
  readonly workBudget: WorkBudget;
  /** For what was passed before. */
  readonly reader: PacketReader;
  readonly starts: PacketStarts;
  readonly listed: ListedStarts;
}

/** What is learned of the blocks of a tile, in one of the forms in which it is kept. */
export interface Learned {
  /** About what it takes in memory, in bytes. */
  readonly bytes: number;
  /**
   * The slices of a precinct whose pieces are to be kept in passing; `wanted` where any of its
   * resolution are.
   */
  slicesToKeep(
    shape: PrecinctShape,
    precinct: number,
    wanted: PrecinctsWanted | undefined,
  ): readonly number[];
  /** Keeps what was read of a precinct, all layers of it. */
  keep(resolution: Resolution, precinct: number, read: OpenPrecinct): void;
  /**
   * The wanted blocks, read again where they were forgotten; undefined where a list turned out
   * wrong.
   */
  gather(wanted: TileRequest): Promise<KnownBlocks | undefined>;
  clear(): void;
}

/**
 * Reads the first layers of a precinct, as far as it is known where they start; undefined where one
 * is not as listed.
 */
export const readPrecinct = async (
  { resolution, precinct, shape }: PrecinctToRead,
  keep: readonly number[],
  { layers, reader, starts, listed, workBudget }: TileRequest,
): Promise<OpenPrecinct | undefined> => {
  const open = new OpenPrecinct(shape, keep);
  for (let layer = 0; layer < layers; layer++) {
    if (workBudget.isDue(piecesOf.packet)) await workBudget.rest();
    const packet = { resolution, precinct, layer };
    const place = starts.of(packet);
    // What a file that is cut off does not have any more counts as read.
    if (place === undefined || place.start >= reader.source.length) {
      if (listed.areRecorded && place === undefined) return undefined;
      break;
    }
    const end = await reader.read(packet, open, place);
    if (place.length !== undefined && end?.end !== place.start + place.length) return undefined;
    if (end === undefined) break;
  }
  open.layers = layers;
  return open;
};

/** A precinct of a resolution, and how its blocks lie. */
export interface PrecinctToRead {
  readonly resolution: Resolution;
  readonly precinct: number;
  readonly shape: PrecinctShape;
}

/** The numbers of all slices there are, where there are so many. */
export const allSlices = (slices: number): readonly number[] =>
  Array.from({ length: slices }, (_, slice) => slice);
