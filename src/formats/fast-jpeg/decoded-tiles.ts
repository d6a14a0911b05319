import { area } from "../../core/geometry.ts";
import { ByteCache } from "../shared/index.ts";
import type { TileKind } from "../tiff/codecs/index.ts";
import type { CachedParts, StoredLevel } from "../tiff/structure/index.ts";

/** Maximum tiles of a cached level: of larger levels, only small parts are needed repeatedly. */
const maxTiles = 16;

/**
 * Decoded tiles of the small levels of pyramids, of which all thumbnails are made, in memory that
 * threads share: for each tile a word that says whether it is present, and then the tiles.
 */
export class DecodedTiles {
  readonly #levels: ByteCache<string, SharedArrayBuffer>;

  /** Maximum total bytes. */
  readonly maxBytes: number;

  /** At most so many bytes; 0 for none. */
  constructor(max: number) {
    this.maxBytes = max;
    this.#levels = new ByteCache(max);
  }

  /** How often a level had been allocated when it was needed, and how often not. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return this.#levels.tally;
  }

  /** Clears the cache. */
  clear(): void {
    this.#levels.clear();
  }

  /** Total bytes. */
  get bytes(): number {
    return this.#levels.bytes;
  }

  /** The allocated slot of a level; undefined where it was evicted. */
  find({ id }: Pick<CachedParts, "id">, { directory }: StoredLevel): SharedArrayBuffer | undefined {
    return this.#levels.get(`${id}/${directory.at}`);
  }

  /**
   * Allocates a level's tiles, some of which may be present; undefined for levels that are too
   * large.
   */
  of({ id }: Pick<CachedParts, "id">, level: StoredLevel): SharedArrayBuffer | undefined {
    const { across, down, tile, samples, planar } = level;
    const tiles = across * down;
    if (planar || tiles > maxTiles || (samples !== 1 && samples !== 3)) return undefined;
    const before = this.find({ id }, level);
    if (before !== undefined) return before;
    const bytes = headerBytes + tiles * tileBytes({ tile, samples });
    if (!this.#levels.takes(bytes)) return undefined;
    const made = new SharedArrayBuffer(bytes);
    this.#levels.set(`${id}/${level.directory.at}`, made, bytes);
    return made;
  }
}

const headerBytes = maxTiles * Int32Array.BYTES_PER_ELEMENT;

const tileBytes = ({ tile, samples }: Pick<TileKind, "tile" | "samples">): number =>
  area(tile) * samples;

/** Whether a tile, by its number within the level, is present. */
export const isDecoded = (decoded: SharedArrayBuffer, number: number): boolean =>
  Atomics.load(new Int32Array(decoded, 0, maxTiles), number) !== 0;

/** The pixels of a present tile. */
export const decodedTile = (
  decoded: SharedArrayBuffer,
  number: number,
  kind: TileKind,
): Uint8Array => {
  const length = tileBytes(kind);
  return new Uint8Array(decoded, headerBytes + number * length, length);
};

/** Stores the pixels of a whole tile. Two threads may store the same tile. */
export const keepDecoded = (
  decoded: SharedArrayBuffer,
  number: number,
  kind: TileKind,
  pixels: Uint8Array,
): void => {
  const room = decodedTile(decoded, number, kind);
  room.set(pixels.subarray(0, room.length));
  Atomics.store(new Int32Array(decoded, 0, maxTiles), number, 1);
};
