import type { RangeReader } from "../../../core/range-reader.ts";
import { ByteWindow, damaged, Fields } from "../../containers/index.ts";
import type { MainHeader } from "./main-header.ts";
import { markers } from "./markers.ts";
import { SerialWork } from "./serial-work.ts";
import { piecesOf, type WorkBudget } from "./work-budget.ts";

/** A part of a tile, from its SOT on. */
export interface TilePart {
  readonly tile: number;
  /** Offset of SOT in the file. */
  readonly offset: number;
  /** Length in bytes, including SOT; may exceed a truncated file. */
  readonly length: number;
  /** Its number among all tile-parts of the codestream, counted from 0. */
  readonly order: number;
}

/**
 * Length of the marker SOT with its segment (A.4.2), and the minimum of a tile-part: that and SOD.
 */
export const sotBytes = 12;
const minBytes = 14;
const maxParts = 2 ** 20;

/**
 * The positions of a codestream's tile-parts: from TLM where there is one, else found by going from
 * one to the next.
 */
export class TileParts {
  readonly #main: MainHeader;
  readonly #turns = new SerialWork();
  #parts = new Map<number, TilePart[]>();
  /** Tiles of which all parts are known. */
  #whole = new Set<number>();
  /** The number of parts that tiles state, where they do. */
  readonly #stated = new Map<number, number>();
  #count = 0;
  #next: number;
  #isDone = false;

  constructor(main: MainHeader) {
    this.#main = main;
    this.#next = main.end;
    for (const { tile, length } of listed(main)) {
      this.#add({ tile, length, offset: this.#next, order: this.#count });
      this.#next += length;
      this.#isDone = true;
    }
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return (this.#count + this.#stated.size) * 96;
  }

  /**
   * The parts of a tile in the order of the codestream; none where the file ends before them.
   * Throws `unreadable` where there are fewer than one of them states.
   */
  of(tile: number, reader: RangeReader, workBudget: WorkBudget): Promise<readonly TilePart[]> {
    return this.#turns.take({ signal: workBudget.signal, reader }, async () => {
      if (!this.#isDone && !this.#whole.has(tile)) await this.#find(tile, reader, workBudget);
      const parts = this.#parts.get(tile) ?? [];
      const stated = this.#stated.get(tile) ?? 0;
      if (parts.length < stated)
        damaged(`${stated} parts of tile ${tile} and not ${parts.length}, as it says,`);
      return parts;
    });
  }

  /** Discards TLM's positions, which turned out wrong; false where there are none. */
  distrust(): boolean {
    if (this.#main.tilePartLengths.length === 0 || this.#isWalked) return false;
    this.#isWalked = true;
    this.#parts = new Map();
    this.#count = 0;
    this.#next = this.#main.end;
    this.#isDone = false;
    return true;
  }
  #isWalked = false;

  #add(part: TilePart): void {
    const parts = this.#parts.get(part.tile);
    if (parts === undefined) this.#parts.set(part.tile, [part]);
    else parts.push(part);
    this.#count++;
  }

  async #find(tile: number, reader: RangeReader, workBudget: WorkBudget): Promise<void> {
    const { place } = this.#main;
    const end = Math.min(place.offset + place.length, reader.size);
    const window = new ByteWindow(reader, end, workBudget.signal);
    while (!this.#isDone && !this.#whole.has(tile)) {
      this.#take(await window.at(this.#next, sotBytes), end);
      if (workBudget.isDue(piecesOf.tilePart)) await workBudget.rest();
    }
  }

  /** Adds the tile-part that these bytes begin; anything else ends the codestream. */
  #take(bytes: Uint8Array, end: number): void {
    this.#isDone = true;
    if (bytes.length < sotBytes || this.#count >= maxParts) return;
    const { marker, tile, length, part, parts } = readSot(bytes);
    const { columns, rows } = this.#main.header;
    if (marker !== markers.startOfTilePart || tile >= columns * rows) return;
    // The last one may omit its length (A.4.2).
    const whole = length === 0 ? end - this.#next : length;
    if (whole < minBytes) return;
    this.#add({ tile, offset: this.#next, length: whole, order: this.#count });
    this.#next += whole;
    this.#isDone = this.#next >= end;
    if (parts > 0) this.#stated.set(tile, parts);
    if (parts > 0 && part === parts - 1 && this.#parts.get(tile)?.length === parts)
      this.#whole.add(tile);
  }
}

/** The content of SOT; `length` and `parts` are 0 where it omits them. */
export const readSot = (bytes: Uint8Array) => {
  const fields = new Fields("SOT", bytes);
  const marker = fields.short();
  fields.short();
  return {
    marker,
    tile: fields.short(),
    length: fields.long(),
    part: fields.byte(),
    parts: fields.byte(),
  };
};

/** The content of TLM (A.7.1); undefined where it is contradictory. */
const listed = ({
  tilePartLengths,
  header: { columns, rows },
}: MainHeader): Pick<TilePart, "tile" | "length">[] => {
  const all: Pick<TilePart, "tile" | "length">[] = [];
  for (const segment of tilePartLengths) takeList(new Fields("TLM", segment), all);
  const isSound = all.every(({ tile, length }) => tile < columns * rows && length >= minBytes);
  return isSound && all.length <= maxParts ? all : [];
};

const takeList = (fields: Fields, all: Pick<TilePart, "tile" | "length">[]): void => {
  const sizes = fields.byte();
  const [ofTile, ofLength] = [(sizes >> 4) & 3, (sizes & 64) === 0 ? 2 : 4];
  while (fields.left >= ofTile + ofLength && all.length <= maxParts) {
    // Without numbers, every tile has one part, in the order of the tiles.
    const tile = ofTile === 0 ? all.length : fields.number(ofTile);
    all.push({ tile, length: fields.number(ofLength) });
  }
};
