import type { RangeReader } from "../../../core/range-reader.ts";
import { ByteWindow, damaged, Fields } from "../../containers/index.ts";
import type { MainHeader } from "./main-header.ts";
import { isStandalone, markerName, markers } from "./markers.ts";
import { PacketLengths, type PacketPlaces } from "./packet-lengths.ts";
import { ParametersRead } from "./parameters.ts";
import { readSot, sotBytes, type TilePart } from "./tile-parts.ts";
import { piecesOf, type WorkBudget } from "./work-budget.ts";

/** A range of the file that contains packets. */
export interface PacketSpan {
  /** Number of the tile's bytes before it. */
  readonly start: number;
  /** Offset in the file. */
  readonly offset: number;
  readonly length: number;
}

/** The content of the headers of all parts of a tile. */
export interface TileHeader {
  readonly parameters: ParametersRead;
  /** The packets' ranges, one part after another. */
  readonly spans: readonly PacketSpan[];
  /** The packet headers, where they are packed (PPT, PPM: A.7.4, A.7.5). */
  readonly packed?: Uint8Array;
  /** The positions of all packets, where their lengths are listed and their headers not packed. */
  readonly places?: PacketPlaces;
}

/** A tile-part is not where TLM says. */
export class Misplaced extends Error {}

/** Maximum bytes of a tile that is fetched from a server as a whole. */
const maxPrefetched = 1_048_576;

/** Parses the headers of a tile's parts; throws `unreadable` where they are corrupt. */
export const readTileHeader = async (
  main: MainHeader,
  parts: readonly TilePart[],
  reader: RangeReader,
  workBudget: WorkBudget,
): Promise<TileHeader> => {
  const read = new TileHeaderRead(main);
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  // Packet headers are between the blocks: reading them one by one would cost a request for each.
  if (bytes <= maxPrefetched) await reader.prefetch?.(parts, workBudget.signal);
  for (const part of parts) {
    if (workBudget.isDue(piecesOf.tilePart)) await workBudget.rest();
    if (!(await read.take(part, reader, workBudget.signal))) break;
  }
  return read.finish();
};

interface IndexedBytes {
  readonly index: number;
  readonly bytes: Uint8Array;
}

class TileHeaderRead {
  readonly #main: MainHeader;
  readonly #parameters: ParametersRead;
  readonly #spans: PacketSpan[] = [];
  /** The spans' total bytes in an untruncated file. */
  readonly #whole: number[] = [];
  readonly #packed: Uint8Array[] = [];
  readonly #lengths = new PacketLengths();
  #length = 0;

  constructor(main: MainHeader) {
    this.#main = main;
    this.#parameters = new ParametersRead(main.header.components.length);
  }

  /** False where the file ends before the part's packets. */
  async take(part: TilePart, reader: RangeReader, signal: AbortSignal): Promise<boolean> {
    const { place } = this.#main;
    const end = Math.min(part.offset + part.length, place.offset + place.length, reader.size);
    const window = new ByteWindow(reader, end, signal);
    const start = await window.at(part.offset, sotBytes);
    if (start.length < sotBytes) return false;
    const { marker, tile } = readSot(start);
    if (marker !== markers.startOfTilePart || tile !== part.tile)
      throw new Misplaced(`no part of tile ${part.tile} at ${part.offset}`);
    this.#lengths.startPart(this.#main.packetLengths[part.order]);
    const at = await this.#segments(window, part.offset + sotBytes);
    if (at === undefined) return false;
    const ofMain = this.#main.packedHeaders[part.order];
    if (ofMain !== undefined) this.#packed.push(ofMain);
    this.#lengths.endPart();
    const length = Math.max(0, end - at);
    this.#spans.push({ start: this.#length, offset: at, length });
    this.#length += length;
    this.#whole.push(Math.max(0, part.offset + part.length - at));
    return true;
  }

  /**
   * Parses the segments of a part; returns where its packets start, undefined where the file ends
   * before them.
   */
  async #segments(window: ByteWindow, from: number): Promise<number | undefined> {
    const packed: IndexedBytes[] = [];
    for (let at = from; ; ) {
      const head = await window.at(at, 4);
      if (head.length < 2) return undefined;
      const fields = new Fields("a tile's header", head);
      const marker = fields.short();
      at += 2;
      if (marker === markers.startOfData) {
        packed.sort((one, other) => one.index - other.index);
        this.#packed.push(...packed.map(({ bytes }) => bytes));
        return at;
      }
      if (marker < 0xff00) damaged("a marker in a tile's header");
      if (isStandalone(marker)) continue;
      const length = fields.short();
      if (length < 2) damaged(`a length of 2 or more behind ${markerName(marker)}`);
      const body = (await window.at(at + 2, length - 2)).subarray(0, length - 2);
      if (body.length < length - 2) return undefined;
      this.#segment(marker, body, packed);
      at += length;
    }
  }

  #segment(marker: number, body: Uint8Array, packed: IndexedBytes[]): void {
    if (this.#parameters.take(marker, body)) return;
    if (marker === markers.packedHeaders) {
      const fields = new Fields("PPT", body);
      packed.push({ index: fields.byte(), bytes: fields.bytes(fields.left).slice() });
    }
    // Some writers leave an entirely empty one behind, without even its index.
    if (marker === markers.packetLengths && body.length > 0) {
      const fields = new Fields("PLT", body);
      this.#lengths.add(fields.byte(), fields.bytes(fields.left));
    }
  }

  finish(): TileHeader {
    if (this.#packed.length > 0)
      return {
        parameters: this.#parameters,
        spans: this.#spans,
        packed: Buffer.concat(this.#packed),
      };
    const places = this.#lengths.places(this.#whole);
    return { parameters: this.#parameters, spans: this.#spans, ...(places && { places }) };
  }
}
