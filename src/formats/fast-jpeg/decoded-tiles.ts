import { area } from "../../core/geometry.ts";
import { ByteCache } from "../shared/index.ts";
import type { TileKind } from "../tiff/codecs/index.ts";
import type { CachedParts, StoredLevel } from "../tiff/structure/index.ts";

/**
 * Levels of more tiles than this are not kept: of those, only the small ones are wanted whole, and
 * again.
 */
const maxTiles = 16;

/**
 * The decoded tiles of the small levels of pyramids, which every thumbnail is made of, in memory
 * that threads share: a word for each tile that says whether it is there, and then the tiles.
 */
export class DecodedTiles {
  readonly #levels: ByteCache<string, SharedArrayBuffer>;

  /** The most that all may take, in bytes. */
  readonly maxBytes: number;

  /** At most so many bytes; 0 for none at all. */
  constructor(max: number) {
    this.maxBytes = max;
    this.#levels = new ByteCache(max);
  }

  /** How often the tiles of a level were looked for and had room already, and how often not. */
  get tally(): { readonly hits: number; readonly misses: number } {
    return this.#levels.tally;
  }

  /** Releases all. */
  clear(): void {
    this.#levels.clear();
  }

  /** What all that is kept takes, in bytes. */
  get bytes(): number {
    return this.#levels.bytes;
  }

  /** The room of a level that was given before; undefined where there is none any more. */
  find({ id }: Pick<CachedParts, "id">, { directory }: StoredLevel): SharedArrayBuffer | undefined {
    return this.#levels.get(`${id}/${directory.at}`);
  }

  /**
   * Room for the tiles of a level, some of which may be there; undefined for levels that are too
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

/** Whether a tile, by its number within the level, is there. */
export const isDecoded = (decoded: SharedArrayBuffer, number: number): boolean =>
  Atomics.load(new Int32Array(decoded, 0, maxTiles), number) !== 0;

/** The pixels of a tile that is there. */
export const decodedTile = (
  decoded: SharedArrayBuffer,
  number: number,
  kind: TileKind,
): Uint8Array => {
  const length = tileBytes(kind);
  return new Uint8Array(decoded, headerBytes + number * length, length);
};

/** Keeps the pixels of a tile, all of its rows. Two threads that keep the same tile do no harm. */
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
