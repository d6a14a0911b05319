import type { RangeReader } from "../../../core/range-reader.ts";
import { damaged } from "../../containers/index.ts";
import type { Codestream } from "./contract.ts";
import type { MainHeader } from "./main-header.ts";
import { SerialWork } from "./serial-work.ts";
import { Misplaced, readTileHeader } from "./tile-header.ts";
import { TileIndex } from "./tile-index.ts";
import { TileParts } from "./tile-parts.ts";
import { WeighedCache } from "./weighed-cache.ts";
import { piecesOf, type WorkBudget } from "./work-budget.ts";

/** A bounded cache of facts about codestreams. */
export class Indexes {
  readonly #parts: WeighedCache<Codestream, KnownParts>;
  readonly #tiles: WeighedCache<string, TileIndex>;
  #last = 0;

  /** With room for so many bytes. */
  constructor(max: () => number) {
    this.#parts = new WeighedCache(() => max() / 4);
    this.#tiles = new WeighedCache(() => (max() * 3) / 4);
  }

  /** Total bytes. */
  get bytes(): number {
    return this.#parts.bytes + this.#tiles.bytes;
  }

  /**
   * The index of a tile. Throws `unreadable` where the file ends before it, its header is corrupt,
   * or it contains too much work.
   */
  async tile(
    codestream: Codestream,
    tile: number,
    reader: RangeReader,
    workBudget: WorkBudget,
  ): Promise<TileIndex> {
    const known = this.#known(codestream);
    const key = `${known.id}/${tile}`;
    const index = this.#sound(key);
    if (index !== undefined) return index;
    return known.turns.take({ signal: workBudget.signal, reader }, async () => {
      const made = this.#sound(key) ?? (await readTile(known, tile, reader, workBudget));
      this.#tiles.set(key, made);
      this.#parts.weigh(codestream);
      return made;
    });
  }

  /** The cached index of a tile. */
  cached(codestream: Codestream, tile: number): TileIndex | undefined {
    const known = this.#parts.get(codestream);
    return known && this.#sound(`${known.id}/${tile}`);
  }

  /** Measures the index of a tile again, after use. */
  weigh(codestream: Codestream, tile: number): void {
    const { id, tiles } = this.#known(codestream);
    const name = (number: number): string => `${id}/${number}`;
    this.#tiles.weigh(name(tile));
    tiles.delete(tile);
    tiles.set(tile, this.#tiles.get(name(tile))?.bytes ?? 0);
    let sum = 0;
    for (const bytes of tiles.values()) sum += bytes;
    for (const [oldest, bytes] of tiles) {
      if (sum <= maxImageBytes || oldest === tile) return;
      sum -= bytes;
      tiles.delete(oldest);
      this.#tiles.delete(name(oldest));
    }
  }

  #sound(key: string): TileIndex | undefined {
    const index = this.#tiles.get(key);
    return index?.isSpoilt === true ? undefined : index;
  }

  #known(codestream: Codestream): KnownParts {
    let known = this.#parts.get(codestream);
    if (known === undefined) {
      known = new KnownParts(asMainHeader(codestream), ++this.#last);
      this.#parts.set(codestream, known);
    }
    return known;
  }
}

/**
 * Maximum fraction for the tiles of one image; the least recently used are read again on demand.
 */
const maxImageBytes = 7_340_032;

/** All codestreams are opened by `openCodestream`. */
const asMainHeader = (codestream: Codestream): MainHeader =>
  "parameters" in codestream
    ? (codestream as MainHeader)
    : damaged("a codestream that was opened here");

/** The tile-parts of a codestream, and its pending readers. */
class KnownParts {
  readonly id: number;
  readonly main: MainHeader;
  readonly parts: TileParts;
  readonly turns = new SerialWork();
  /** The sizes of tile indexes at their last use, latest last. */
  readonly tiles = new Map<number, number>();

  constructor(main: MainHeader, id: number) {
    this.main = main;
    this.id = id;
    this.parts = new TileParts(main);
  }

  get bytes(): number {
    return this.main.bytes + this.parts.bytes;
  }
}

const readTile = async (
  known: KnownParts,
  tile: number,
  reader: RangeReader,
  workBudget: WorkBudget,
): Promise<TileIndex> => {
  const { main, parts } = known;
  try {
    const resolutions = main.header.components.length * (main.header.levels + 1);
    if (workBudget.isDue(piecesOf.tile + resolutions * piecesOf.resolution))
      await workBudget.rest();
    const own = await parts.of(tile, reader, workBudget);
    const header = await readTileHeader(main, own, reader, workBudget);
    if (header.spans.length === 0)
      return damaged(`tile ${tile} of the image, before which the file ends,`);
    return new TileIndex(main, tile, header);
  } catch (error) {
    // Where TLM is wrong, tile-parts are found by going from one to the next.
    if (error instanceof Misplaced && parts.distrust())
      return readTile(known, tile, reader, workBudget);
    return error instanceof Misplaced
      ? damaged("tile-parts in the places that the file tells", error)
      : Promise.reject(error);
  }
};
