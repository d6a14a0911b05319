import type { Piece } from "./tiff-bytes.ts";
import type { TiffFile } from "./tiff-directory.ts";
import { jpegHead, roomFor, wholeJpegIn } from "./tiff-jpeg.ts";
import type { StoredLevel } from "./tiff-pages.ts";
import { compressions } from "./tiff-tags.ts";
import type { StoredTile } from "./tiff-tiles.ts";

/**
 * The bytes of tiles, those of JPEG tiles as JPEGs of their own, in one piece of memory, which
 * changes threads at once where many pieces take their time. Undefined where a tile is odd.
 */
export const readTogether = async (
  file: TiffFile,
  level: StoredLevel,
  stored: readonly StoredTile[],
  signal: AbortSignal,
): Promise<readonly Uint8Array[] | undefined> => {
  if (level.compression !== compressions.jpeg) return read(file, stored, { room: 0, signal });
  const head = await jpegHead(file, level, { profiled: false, signal });
  if (head === undefined || roomFor(head) * stored.length > mostRoom) return undefined;
  const tiles = await read(file, stored, { room: roomFor(head), signal });
  const jpegs = tiles.map((bytes) => wholeJpegIn(level, head, bytes));
  const whole = jpegs.filter((jpeg) => jpeg !== undefined);
  return whole.length === tiles.length ? whole : undefined;
};

/** Bytes that what tiles share may take once every tile has it. */
const mostRoom = 8_388_608;

/** Each tile with `room` bytes before it that mean nothing yet. */
const read = async (
  file: TiffFile,
  stored: readonly StoredTile[],
  { room, signal }: { readonly room: number; readonly signal: AbortSignal },
): Promise<readonly Uint8Array[]> => {
  const [only] = stored;
  if (room === 0 && stored.length === 1 && only)
    return [await file.bytes.own(only.offset, only.length, signal)];
  // All of it is written to: the tiles' bytes, and a head in each room.
  const memory = Buffer.allocUnsafeSlow(stored.reduce((sum, { length }) => sum + room + length, 0));
  let at = 0;
  const tiles = stored.map(({ length }) => {
    const start = at;
    at += room + length;
    return memory.subarray(start, at);
  });
  const pieces = stored.map(({ offset, length }, index): Piece => {
    const into = tiles[index]?.subarray(room) ?? new Uint8Array(length);
    return { offset, length, into };
  });
  await file.bytes.fill(pieces, signal);
  return tiles;
};
