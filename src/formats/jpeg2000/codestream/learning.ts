import type { Resolution } from "./grid.ts";
import type { KnownBlocks } from "./known-blocks.ts";
import type { ListedStarts } from "./listed-starts.ts";
import { OpenPrecinct } from "./open-precinct.ts";
import type { PacketReader } from "./packet-reader.ts";
import type { PacketStarts } from "./packet-starts.ts";
import type { PrecinctShape, PrecinctsWanted } from "./precincts.ts";
import { piecesOf, type WorkBudget } from "./work-budget.ts";

/** What has to be known of a tile, and how to find it. */
export interface TileRequest {
  readonly precincts: readonly PrecinctsWanted[];
  /** Number of layers, from the first on. */
  readonly layers: number;
  readonly workBudget: WorkBudget;
  /** Stores what was read on the way. */
  readonly reader: PacketReader;
  readonly starts: PacketStarts;
  readonly listed: ListedStarts;
}

/** Facts about the blocks of a tile, in one of their cached forms. */
export interface Learned {
  /** Approximate memory in bytes. */
  readonly bytes: number;
  /**
   * The slices of a precinct whose pieces are to be stored on the way; `wanted` where any of its
   * resolution are requested.
   */
  slicesToKeep(
    shape: PrecinctShape,
    precinct: number,
    wanted: PrecinctsWanted | undefined,
  ): readonly number[];
  /** Stores all layers of a precinct. */
  keep(resolution: Resolution, precinct: number, read: OpenPrecinct): void;
  /**
   * The requested blocks, read again where they were evicted; undefined where a list turned out
   * wrong.
   */
  gather(wanted: TileRequest): Promise<KnownBlocks | undefined>;
  clear(): void;
}

/**
 * Reads the first layers of a precinct, as far as their positions are known; undefined where one is
 * not as listed.
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
    // The missing part of a truncated file counts as read.
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

/** A precinct of a resolution, and the layout of its blocks. */
export interface PrecinctToRead {
  readonly resolution: Resolution;
  readonly precinct: number;
  readonly shape: PrecinctShape;
}

/** All slice numbers, up to a count. */
export const allSlices = (slices: number): readonly number[] =>
  slices === 1 ? onlySlice : Array.from({ length: slices }, (_, slice) => slice);

const onlySlice = [0];
