import type { Steps } from "../../../core/steps.ts";
import {
  adobeRgb,
  frameOf,
  headSegments,
  isApplication,
  jfif,
  markers,
  profileSegments,
  type Segment,
} from "../../containers/index.ts";
import {
  type CachedParts,
  compressions,
  photometrics,
  readBytes,
  type StoredLevel,
  type TiffFile,
  TileHead,
  tags,
} from "../structure/index.ts";

const largestTables = 65_536;
const largestProfile = 16_777_216;

/**
 * Whether the JPEG tiles of a level mean the same as JPEGs of their own: grey, YCbCr or RGB of 8
 * bits.
 */
export const hasWholeJpegs = (level: StoredLevel): boolean =>
  level.compression === compressions.jpeg &&
  level.tiled &&
  !level.planar &&
  level.bits === 8 &&
  level.extra.length === 0 &&
  (level.samples === 3
    ? level.photometric === photometrics.yCbCr || level.photometric === photometrics.rgb
    : level.samples === 1 && level.photometric === photometrics.blackIsZero);

/**
 * The segments to insert before a tile's own to make a JPEG of it: its colour model, the profile
 * where requested, and the shared tables. Undefined where something does not fit into a JPEG.
 */
export function* jpegHead(
  file: TiffFile,
  level: StoredLevel,
  profiled: boolean,
): Steps<TileHead | undefined> {
  const before = cachedHead(file, level, profiled);
  if (before !== undefined) return before;
  const { kept } = file;
  const tables = yield* sharedTables(file, level);
  const profile = profiled ? yield* profileOf(file, level) : new Uint8Array(0);
  if (tables === undefined || profile === undefined) return undefined;
  const bytes = Buffer.concat([
    Uint8Array.of(0xff, markers.startOfImage),
    level.photometric === photometrics.rgb ? adobeRgb : jfif,
    profile,
    tables,
  ]);
  const head = new TileHead(bytes);
  kept?.heads.set(headKey(kept, level, profiled), head, bytes.length + headBytes);
  return head;
}

/** The cached result of `jpegHead`. */
export const cachedHead = (
  { kept }: TiffFile,
  level: StoredLevel,
  profiled: boolean,
): TileHead | undefined => kept?.heads.get(headKey(kept, level, profiled));

const headKey = ({ id }: CachedParts, level: StoredLevel, profiled: boolean): string => {
  const keys = profiled ? profiledKeys : plainKeys;
  const known = keys.get(level);
  if (known !== undefined) return known;
  const key = `${id}/${level.directory.at}/${profiled}`;
  keys.set(level, key);
  return key;
};

/** Reused, because a new string would be hashed and compared for each tile. */
const profiledKeys = new WeakMap<StoredLevel, string>();
const plainKeys = new WeakMap<StoredLevel, string>();

/** The cost of an entry beside the head's bytes: the key, and the start of a tile. */
const headBytes = 1_280;

/** Bytes that `wholeJpegIn` needs before a tile: the head replaces the tile's own start. */
export const roomFor = ({ bytes }: TileHead): number => bytes.length - startBytes;

/**
 * A stored tile, behind `roomFor` bytes of room, as a JPEG of its own; in the same memory where
 * possible. Undefined where readers could interpret it differently.
 */
export const wholeJpegIn = (
  level: StoredLevel,
  head: TileHead,
  bytes: Uint8Array,
): Uint8Array | undefined => {
  const tile = bytes.subarray(roomFor(head));
  if (!head.startsValid(tile)) {
    const segments = segmentsOf(level, tile);
    if (segments === undefined) return undefined;
    if (segments.some(({ marker }) => isApplication(marker)))
      return joined([head.bytes, ...withoutApplications(tile, segments)]);
    head.noteValid(tile, segments.at(-1)?.end ?? 0);
  } else if (!isEnded(tile)) return undefined;
  bytes.set(head.bytes);
  return bytes;
};

/** Length of the marker that every JPEG starts with. */
const startBytes = 2;

const segmentsOf = (level: StoredLevel, tile: Uint8Array): readonly Segment[] | undefined => {
  const segments = headSegments(tile);
  if (segments === undefined || segments.at(-1)?.marker !== markers.startOfScan) return undefined;
  return fits(level, tile, segments) && isEnded(tile) ? segments : undefined;
};

/**
 * The tile's data after its start, without segments that libtiff ignores: it goes by the directory
 * alone, whatever the tile says of its colours.
 */
const withoutApplications = (tile: Uint8Array, segments: readonly Segment[]): Uint8Array[] => {
  const parts: Uint8Array[] = [];
  let from = startBytes;
  for (const { marker, at, end } of segments) {
    if (!isApplication(marker)) continue;
    parts.push(tile.subarray(from, at));
    from = end;
  }
  parts.push(tile.subarray(from));
  return parts;
};

const fits = (level: StoredLevel, tile: Uint8Array, segments: readonly Segment[]): boolean => {
  const frame = frameOf(tile, segments);
  return (
    frame !== undefined &&
    frame.precision === 8 &&
    frame.width === level.tile.width &&
    frame.height === level.tile.height &&
    frame.components.length === level.samples &&
    isScanOfAll(tile, segments) &&
    // Decoders disagree on subsampled RGB.
    (level.photometric !== photometrics.rgb || frame.components.every(({ h, v }) => h * v === 1))
  );
};

const progressive = 0xc2;
const maxTables = 4;

/**
 * Whether the first scan has all components of the frame, with valid table numbers (ITU-T T.81,
 * B.2.2 and B.2.3): decoders reject a tile with any other, so it must not be sent.
 */
const isScanOfAll = (tile: Uint8Array, segments: readonly Segment[]): boolean => {
  const frame = segments.find(({ marker }) => marker >= 0xc0 && marker <= 0xc2);
  const scan = segments.at(-1);
  if (frame === undefined || scan === undefined) return false;
  const count = tile[frame.at + 9] ?? 0;
  if (tile[scan.at + 4] !== count || scan.end - scan.at !== 8 + count * 2) return false;
  for (let index = 0; index < count; index++)
    if (!areTables(tile, frame.at + 10 + index * 3, scan.at + 5 + index * 2)) return false;
  const [first, last, approximation = 0] = tile.subarray(scan.end - 3, scan.end);
  return frame.marker === progressive
    ? first === 0 && last === 0 && approximation >> 4 === 0
    : first === 0 && last === 63 && approximation === 0;
};

/** Whether a component is the same in the frame and in the scan, and uses valid table numbers. */
const areTables = (tile: Uint8Array, inFrame: number, inScan: number): boolean => {
  const entropy = tile[inScan + 1] ?? 0xff;
  return (
    tile[inScan] === tile[inFrame] &&
    (tile[inFrame + 2] ?? maxTables) < maxTables &&
    entropy >> 4 < maxTables &&
    (entropy & 15) < maxTables
  );
};

/** Whether the data ends correctly, except for a byte or two that some writers append. */
const isEnded = (tile: Uint8Array): boolean => {
  for (let at = tile.length - 2; at >= tile.length - 4 && at > 0; at--)
    if (tile[at] === 0xff && tile[at + 1] === markers.endOfImage) return true;
  return false;
};

/**
 * The tables shared by all JPEG tiles of a level, empty if there are none; undefined where they are
 * unreadable.
 */
export function* sharedTables(file: TiffFile, level: StoredLevel): Steps<Uint8Array | undefined> {
  const entry = level.directory.entries.get(tags.jpegTables);
  if (entry === undefined) return new Uint8Array(0);
  const stored = yield* readBytes(file, entry, largestTables);
  const segments = stored && headSegments(stored);
  if (stored === undefined || segments === undefined) return undefined;
  return Buffer.concat(
    segments.filter(({ marker }) => isTable(marker)).map(({ at, end }) => stored.subarray(at, end)),
  );
}

const isTable = (marker: number): boolean =>
  marker === markers.quantisation ||
  marker === markers.huffman ||
  marker === markers.restartInterval;

function* profileOf(file: TiffFile, level: StoredLevel): Steps<Uint8Array | undefined> {
  const entry = level.directory.entries.get(tags.iccProfile);
  const profile = entry && (yield* readBytes(file, entry, largestProfile));
  return profile && profileSegments(profile);
}

/** In memory of its own, which can be transferred. */
const joined = (parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};
