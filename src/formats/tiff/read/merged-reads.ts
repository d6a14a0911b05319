import type { Steps } from "../../../core/steps.ts";
import { compressions, type StoredLevel, type TiffFile } from "../structure/index.ts";
import { cachedHead, jpegHead, roomFor, wholeJpegIn } from "./jpeg.ts";
import type { StoredTile } from "./tiles.ts";

/** The bytes of tiles, and whether they are in `Rooms.room`. */
export interface TogetherRead {
  readonly tiles: readonly Uint8Array[];
  readonly isPassing: boolean;
}

/** Destinations of bytes. */
export interface ReadDestinations {
  /**
   * Memory for a single tile that is rendered synchronously, valid until it is handed out again.
   */
  readonly room?: ((length: number) => Uint8Array) | undefined;
}

/**
 * The bytes of tiles, those of JPEG tiles as JPEGs of their own, in one buffer, which is
 * transferred faster than many pieces. Undefined where a tile is unusual.
 */
export const readTogether = (
  file: TiffFile,
  level: StoredLevel,
  stored: readonly StoredTile[],
  { room }: ReadDestinations = {},
): Steps<TogetherRead | undefined> => {
  if (level.compression === compressions.jpeg) return readJpegs(file, level, stored);
  const [only] = stored;
  return only !== undefined && stored.length === 1
    ? readSingle(file, only, room)
    : readSeveral(file, stored);
};

function* readSeveral(file: TiffFile, stored: readonly StoredTile[]): Steps<TogetherRead> {
  return { tiles: yield* readInto(file, stored, 0), isPassing: false };
}

function* readJpegs(
  file: TiffFile,
  level: StoredLevel,
  stored: readonly StoredTile[],
): Steps<TogetherRead | undefined> {
  const head = cachedHead(file, level, false) ?? (yield* jpegHead(file, level, false));
  if (head === undefined || roomFor(head) * stored.length > maxRoom) return undefined;
  const tiles = yield* readInto(file, stored, roomFor(head));
  const jpegs = tiles.map((bytes) => wholeJpegIn(level, head, bytes));
  const whole = jpegs.filter((jpeg) => jpeg !== undefined);
  return whole.length === tiles.length ? { tiles: whole, isPassing: false } : undefined;
}

/** Maximum bytes of shared data once every tile has a copy. */
const maxRoom = 8_388_608;

function* readSingle(
  file: TiffFile,
  { offset, length }: StoredTile,
  room: ReadDestinations["room"],
): Steps<TogetherRead> {
  let passing: Uint8Array | undefined;
  const makeRoom = (make: (length: number) => Uint8Array): Uint8Array => {
    passing = make(length);
    return passing;
  };
  const range = room ? { offset, length, room: () => makeRoom(room) } : { offset, length };
  const [bytes = new Uint8Array(0)] = yield* file.bytes.read([range]);
  if (bytes.buffer === passing?.buffer) return { tiles: [bytes], isPassing: true };
  const isOwn = bytes.byteLength === bytes.buffer.byteLength;
  return { tiles: [isOwn ? bytes : Uint8Array.from(bytes)], isPassing: false };
}

/** Each tile with `before` uninitialised bytes before it. */
function* readInto(
  file: TiffFile,
  stored: readonly StoredTile[],
  before: number,
): Steps<readonly Uint8Array[]> {
  // All of it is written to: the tiles' bytes, and a head before each.
  const { buffer } = Buffer.allocUnsafeSlow(
    stored.reduce((sum, { length }) => sum + before + length, 0),
  );
  let at = 0;
  const tiles = stored.map(({ length }) => {
    const start = at;
    at += before + length;
    return new Uint8Array(buffer, start, before + length);
  });
  yield* file.bytes.read(
    stored.map(({ offset, length }, index) => {
      const into = tiles[index]?.subarray(before) ?? new Uint8Array(length);
      return { offset, length, into };
    }),
  );
  return tiles;
}
