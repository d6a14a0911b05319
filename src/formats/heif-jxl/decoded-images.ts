import { reductionOf, takeRows } from "../shared/index.ts";
import type { HeifJxlImage, Tile } from "./contract.ts";

/** The fractions of a thread's memory for cached files and decoded tiles. */
const partOfFiles = 1 / 16;
const partOfTiles = 1 / 8;
const maxFiles = 8;

/** Columns and rows are counted from 0. */
export interface TileWanted {
  readonly page: number;
  readonly column: number;
  readonly row: number;
  /** 1, or the reduction factor. */
  readonly factor: number;
}

interface KeptPicture {
  readonly picture: HeifJxlImage;
  readonly bytes: number;
  readonly tiles: Map<string, Tile>;
}

/** An LRU cache of a thread's open files and decoded tiles. */
export class DecodedImages {
  readonly #pictures = new Map<string, KeptPicture>();
  readonly #maxFileBytes: number;
  readonly #maxTileBytes: number;

  /** `memory` is the thread's limit in bytes. */
  constructor(memory: number) {
    this.#maxFileBytes = memory * partOfFiles;
    this.#maxTileBytes = memory * partOfTiles;
  }

  get(id: string): HeifJxlImage | undefined {
    const kept = this.#pictures.get(id);
    if (kept === undefined) return undefined;
    this.#pictures.delete(id);
    this.#pictures.set(id, kept);
    return kept.picture;
  }

  /** Stores an open image of a file of so many bytes. */
  set(id: string, picture: HeifJxlImage, bytes: number): void {
    this.#pictures.set(id, { picture, bytes, tiles: new Map() });
    this.#dropWhile(
      () =>
        this.#pictures.size > maxFiles ||
        this.#sum(({ bytes: ofFile }) => ofFile) > this.#maxFileBytes,
    );
  }

  /** A tile of an open image, reduced by a factor, decoded where it is not cached. */
  tile(id: string, { page, column, row, factor }: TileWanted): Tile {
    const kept = this.#pictures.get(id);
    if (kept === undefined) throw new Error("Expected a cached image.");
    const { picture, tiles } = kept;
    const name = `${page} ${column} ${row} ${factor}`;
    const tile = tiles.get(name) ?? reducedBy(factor, picture.tile(page, column, row));
    tiles.delete(name);
    tiles.set(name, tile);
    this.#trim(tiles);
    return tile;
  }

  clear(): void {
    for (const { picture } of this.#pictures.values()) picture.close();
    this.#pictures.clear();
  }

  /** Tiles of other files are evicted first, then those of the same. */
  #trim(current: Map<string, Tile>): void {
    let bytes = this.#sum(({ tiles }) => bytesOf(tiles));
    for (const { tiles } of this.#pictures.values())
      for (const [name, { values }] of tiles) {
        if (bytes <= this.#maxTileBytes || (tiles === current && tiles.size === 1)) return;
        tiles.delete(name);
        bytes -= values.byteLength;
      }
  }

  #dropWhile(isTooMuch: () => boolean): void {
    for (const [id, { picture }] of this.#pictures) {
      if (this.#pictures.size === 1 || !isTooMuch()) return;
      this.#pictures.delete(id);
      picture.close();
    }
  }

  #sum(of: (kept: KeptPicture) => number): number {
    let sum = 0;
    for (const kept of this.#pictures.values()) sum += of(kept);
    return sum;
  }
}

const reducedBy = (factor: number, tile: Tile): Tile => {
  if (factor === 1) return tile;
  const { values, channels, depth, size } = tile;
  const reduction = reductionOf(size, { x: 0, y: 0, ...size }, factor);
  const rows = takeRows(reduction, { channels, depth });
  const stride = size.width * channels;
  for (let y = 0; y < size.height; y++) rows.put(y, values.subarray(y * stride, (y + 1) * stride));
  return { values: rows.values, channels, depth, size: reduction.size };
};

const bytesOf = (tiles: ReadonlyMap<string, Tile>): number => {
  let sum = 0;
  for (const { values } of tiles.values()) sum += values.byteLength;
  return sum;
};
