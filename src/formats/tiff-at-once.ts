import type { Plan } from "../core/plan.ts";
import type { ReadAtOnce } from "../core/range-reader.ts";
import type { LevelPart } from "./codec.ts";
import { withProfile } from "./jpeg-segments.ts";
import { encodingFor } from "./recoding.ts";
import { fieldsAtHand } from "./tiff-fields.ts";
import { headAtHand, roomFor, wholeJpegIn } from "./tiff-jpeg.ts";
import { listedAtHand, type Structure } from "./tiff-kept.ts";
import type { KeptParts } from "./tiff-memory.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { whyNotRecoded } from "./tiff-recode.ts";
import { whyNotStored } from "./tiff-stored.ts";
import { compressions, tags } from "./tiff-tags.ts";
import type { StoredTile } from "./tiff-tiles.ts";
import type { TileJob } from "./tile-job.ts";
import type { TileThreads } from "./tile-threads.ts";

/** A level of a TIFF whose structure is kept, and what can be done with it at once. */
export interface AtOnce {
  readonly structure: Structure;
  readonly level: StoredLevel;
  readonly read: ReadAtOnce;
  /** Absent: nothing is drawn. */
  readonly threads: TileThreads | undefined;
}

/** In bytes; a tile that is larger is read by a thread. */
export const largestTile = 524_288;

/**
 * The JPEG of a part that lies in one tile, where all that has to be known of the file is kept and
 * the tile's bytes are in memory: as it is stored, or else drawn. Undefined where anything is otherwise.
 */
export const tileAtOnce = (from: AtOnce, part: LevelPart, plan: Plan): Uint8Array | undefined => {
  const { level } = from;
  if (plan.format !== "jpg") return undefined;
  if (plan.stored && whyNotStored(level, { ...part, format: "jpg" }) === undefined) {
    const place = placeOf(from, part);
    return place && jpegOf(from, place, part.profiled);
  }
  if (!plan.direct || from.threads === undefined) return undefined;
  return drawnOf(from, from.threads, part, plan);
};

const drawnOf = (
  from: AtOnce,
  threads: TileThreads,
  part: LevelPart,
  plan: Plan,
): Uint8Array | undefined => {
  const { level, structure } = from;
  const { tile, samples, compression, predictor } = level;
  const encoding = encodingFor(plan);
  if (encoding === undefined || whyNotRecoded(level, plan) !== undefined) return undefined;
  if (samples !== 1 && samples !== 3) return undefined;
  const { region, profiled } = part;
  const profile = profiled ? profileAtHand(structure.parts, level) : undefined;
  const place = placeOf(from, part);
  if (place === undefined || (profiled && profile === undefined)) return undefined;
  const isJpeg = compression === compressions.jpeg;
  const bytes = isJpeg
    ? jpegOf(from, place, false)
    : exactly(from.read(place.offset, place.length, threads.room(place.length)), place.length);
  if (bytes === undefined) return undefined;
  const job: TileJob = {
    tiles: [{ bytes, x: -(region.x % tile.width), y: -(region.y % tile.height) }],
    compression,
    predictor: isJpeg || compression === compressions.webp ? 1 : predictor,
    tile,
    samples,
    size: region,
    quality: encoding.quality,
    subsampling: encoding.subsampling,
  };
  const jpeg = threads.drawAtOnce(job);
  return jpeg && profile ? withProfile(jpeg, profile) : jpeg;
};

/** The profile of a level's page, where it was read before and is kept. */
export const profileAtHand = (parts: KeptParts, level: StoredLevel): Uint8Array | undefined =>
  fieldsAtHand(parts, level)?.find(({ tag }) => tag === tags.iccProfile)?.bytes;

/** Where the tile lies that has all of a part. */
const placeOf = (
  { structure: { parts }, level }: AtOnce,
  { region }: LevelPart,
): StoredTile | undefined => {
  const { tile, tiled, planar, across, offsets, counts } = level;
  const column = Math.floor(region.x / tile.width);
  const row = Math.floor(region.y / tile.height);
  const isInOne =
    region.x + region.width <= (column + 1) * tile.width &&
    region.y + region.height <= (row + 1) * tile.height;
  if (!tiled || planar || !isInOne || counts === undefined) return undefined;
  const index = row * across + column;
  const offset = listedAtHand(parts, offsets, index);
  const length = listedAtHand(parts, counts, index);
  return offset && length && length <= largestTile ? { offset, length } : undefined;
};

/** A stored tile as a JPEG of its own, in memory of its own. */
const jpegOf = (
  { structure: { parts }, level, read }: AtOnce,
  { offset, length }: StoredTile,
  profiled: boolean,
): Uint8Array | undefined => {
  const head = headAtHand(parts, level, profiled);
  if (head === undefined) return undefined;
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(roomFor(head) + length).buffer);
  return exactly(read(offset, length, bytes.subarray(roomFor(head))), length)
    ? wholeJpegIn(level, head, bytes)
    : undefined;
};

const exactly = (bytes: Uint8Array | undefined, length: number): Uint8Array | undefined =>
  bytes?.length === length ? bytes : undefined;
