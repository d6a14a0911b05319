import type { RangeReader } from "../../core/range-reader.ts";
import type { Codestream } from "./contract.ts";
import { damaged } from "./fields.ts";
import { Kept } from "./kept.ts";
import type { MainHeader } from "./main-header.ts";
import { Misplaced, readTileHeader } from "./tile-header.ts";
import { TileIndex } from "./tile-index.ts";
import { TileParts } from "./tile-parts.ts";
import { Turns } from "./turns.ts";

/** What was learned of codestreams, within a bound of bytes. */
export class Indexes {
  readonly #parts: Kept<Codestream, KnownParts>;
  readonly #tiles: Kept<string, TileIndex>;
  #last = 0;

  /** With room for so many bytes. */
  constructor(most: () => number) {
    this.#parts = new Kept(() => most() / 4);
    this.#tiles = new Kept(() => (most() * 3) / 4);
  }

  /** What all that is kept takes, in bytes. */
  get bytes(): number {
    return this.#parts.bytes + this.#tiles.bytes;
  }

  /** The index of a tile; undefined where the file ends before it. Throws `unreadable` where its header is damaged. */
  async tile(
    codestream: Codestream,
    tile: number,
    reader: RangeReader,
    signal: AbortSignal,
  ): Promise<TileIndex | undefined> {
    const known = this.#known(codestream);
    const key = `${known.id}/${tile}`;
    const index = this.#sound(key);
    if (index !== undefined) return index;
    return known.turns.take(signal, async () => {
      const made = this.#sound(key) ?? (await readTile(known, tile, reader, signal));
      if (made !== undefined) this.#tiles.set(key, made);
      this.#parts.weigh(codestream);
      return made;
    });
  }

  /** Weighs the index of a tile anew, once it has been used. */
  weigh(codestream: Codestream, tile: number): void {
    this.#tiles.weigh(`${this.#known(codestream).id}/${tile}`);
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

/** All codestreams are opened by `openCodestream`. */
const asMainHeader = (codestream: Codestream): MainHeader =>
  "parameters" in codestream
    ? (codestream as MainHeader)
    : damaged("a codestream that was opened here");

/** The tile-parts of a codestream, and who is about to read any. */
class KnownParts {
  readonly id: number;
  readonly main: MainHeader;
  readonly parts: TileParts;
  readonly turns = new Turns();

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
  signal: AbortSignal,
): Promise<TileIndex | undefined> => {
  const { main, parts } = known;
  try {
    const own = await parts.of(tile, reader, signal);
    if (own.length === 0) return undefined;
    const header = await readTileHeader(main, own, reader, signal);
    return header.spans.length === 0 ? undefined : new TileIndex(main, tile, header);
  } catch (error) {
    // Where TLM is wrong, tile-parts are found by going from one to the next.
    if (error instanceof Misplaced && parts.distrust())
      return readTile(known, tile, reader, signal);
    return error instanceof Misplaced
      ? damaged("tile-parts in the places that the file tells", error)
      : Promise.reject(error);
  }
};
