import { nobodyLeft } from "../left.ts";
import { assignAtOnce } from "./assignment.ts";
import type { BlockCache } from "./block-cache.ts";
import type { RegionAtOnce } from "./contract.ts";
import { damaged } from "./fields.ts";
import { isEmpty } from "./grid.ts";
import type { Indexes } from "./indexes.ts";
import type { JpegForm } from "./job.ts";
import { needsOf } from "./needs.ts";
import { areQuick, mostCoded } from "./quick.ts";
import type { Reconstruct } from "./reconstruction.ts";
import { pieces, planesWanted, regionBox, tilesIn } from "./region.ts";
import type { TileIndex } from "./tile-index.ts";

/** What a decoder has to do it with. */
export interface AtOnceMeans {
  readonly indexes: Indexes;
  readonly cache: BlockCache;
  /** `roomAtOnce` bytes that nobody else uses meanwhile. */
  readonly room: Uint8Array;
  readonly reconstruct: Reconstruct;
}

/** Bytes that may be read for a region. */
export const roomAtOnce = 1_048_576;

/**
 * A JPEG of a region of High-Throughput blocks, made on the calling thread, where nearly all is at hand; undefined where it
 * is not, or where it would take long. Throws `unreadable` as `CodestreamDecoder.encode` does, and whatever damage it meets.
 */
export const encodedAtOnce = (
  wanted: RegionAtOnce,
  jpeg: JpegForm,
  { indexes, cache, room, reconstruct }: AtOnceMeans,
): Uint8Array | undefined => {
  const { codestream, reduce, read } = wanted;
  const planes = planesWanted(wanted);
  const region = regionBox(wanted);
  const [tile, another] = tilesIn(codestream.header, region);
  const [piece, further] = pieces(region, reduce, planes.length);
  if (tile === undefined || another !== undefined || further !== undefined) return undefined;
  const index = indexes.atHand(codestream, tile);
  if (index === undefined || !areAllQuick(index)) return undefined;
  const needs = needsOf(index, codestream, planes, piece ?? region, reduce);
  const { needed } = needs;
  if (needed.some(({ box, step }) => step !== 1 || isEmpty(box))) return undefined;
  const window = {
    components: needed,
    transformed: index.transformed && needed[2]?.component === 2,
    ...{ wanted: needs.wanted, interleaved: true, jpeg, left: nobodyLeft },
    layers: index.layers,
  };
  const assignment = assignAtOnce(index, window, { cache, read, room, mostCoded });
  if (assignment === undefined) return undefined;
  let isDone = false;
  try {
    const [encoded] = reconstruct(assignment.job);
    isDone = true;
    return encoded instanceof Uint8Array ? encoded : damaged("a JPEG");
  } finally {
    assignment.settle(isDone);
    indexes.weigh(codestream, tile);
  }
};

const areAllQuick = ({ grid: { components } }: TileIndex): boolean =>
  components.every(({ parameters: { coding } }) => areQuick(coding.style));
