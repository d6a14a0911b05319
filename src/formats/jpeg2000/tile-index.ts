import type { RangeReader } from "../../core/range-reader.ts";
import type { KeptBlocks } from "./block-cache.ts";
import { BlockTable, type Piece, Pieces, tableBytesPerBlock } from "./block-table.ts";
import { Breath } from "./breath.ts";
import { damaged } from "./fields.ts";
import { type Cells, type Resolution, type TileGrid, tileGrid } from "./grid.ts";
import { HeaderBits } from "./header-bits.ts";
import type { MainHeader } from "./main-header.ts";
import { markers } from "./markers.ts";
import { addContributions, type PacketToRead, readPacketHeader } from "./packet-header.ts";
import type { PacketPlaces } from "./packet-lengths.ts";
import { ofComponent } from "./parameters.ts";
import { type BandOfPrecinct, bandsOfPrecinct } from "./precincts.ts";
import { type Packet, packetsInOrder } from "./progression.ts";
import { TreeShapes } from "./tag-tree.ts";
import { type ByteSource, endOf, joined, sourceOf, spanAt } from "./tile-bytes.ts";
import type { Span, TileHeader } from "./tile-header.ts";
import { Turns } from "./turns.ts";

/** Precincts of a resolution whose blocks are wanted: places as in `Cells`. */
export interface PrecinctsWanted {
  readonly resolution: Resolution;
  readonly cells: Cells;
}

/** What is known of the packets of one resolution. */
interface Known {
  readonly table: BlockTable;
  /** Of each precinct, how many of its layers were read. */
  readonly layers: Uint16Array;
  /** Of the precincts between two layers. */
  readonly open: Map<number, readonly BandOfPrecinct[]>;
}

/**
 * Where the blocks of a tile are. Packet headers are read only as far as it takes to find what is
 * wanted: those alone where the lengths of packets are listed, else all up to the last of them.
 */
export class TileIndex {
  readonly grid: TileGrid;
  /** Whether the first three components come out as RGB only together. */
  readonly transformed: boolean;
  /** The blocks that were decoded, by their numbers in the grid. */
  readonly kept: KeptBlocks = new Map();
  readonly #spans: readonly Span[];
  readonly #packed: Uint8Array | undefined;
  readonly #layers: number;
  readonly #startMarkers: boolean;
  readonly #endMarkers: boolean;
  readonly #known = new Map<Resolution, Known>();
  readonly #pieces = new Pieces();
  readonly #bits = new HeaderBits();
  readonly #turns = new Turns();
  readonly #order: () => Generator<Packet>;
  #places: PacketPlaces | undefined;
  /** Where a packet is in the order of all, by resolution: precinct after precinct, layer after layer. */
  #numbers: ReadonlyMap<Resolution, Int32Array> | undefined;
  #walk: Generator<Packet>;
  #at = 0;
  #packedAt = 0;
  #blocks = 0;
  #open = 0;
  /** How many blocks packet headers may still say something of. */
  #visits: number;
  readonly #shapes = new TreeShapes();
  #isAtEnd = false;
  #isSpoilt = false;

  constructor(main: MainHeader, tile: number, header: TileHeader) {
    const { parameters } = main;
    const own = header.parameters;
    const coding = own.coding ?? parameters.coding;
    this.grid = tileGrid(main.header, tile, (component) => ofComponent(parameters, own, component));
    this.transformed = coding.transformed;
    this.#spans = header.spans;
    this.#packed = header.packed;
    this.#places = header.places;
    this.#layers = coding.layers;
    this.#startMarkers = coding.startMarkers;
    this.#endMarkers = coding.endMarkers;
    const { layers, progression } = coding;
    const changes = own.changes.length > 0 ? own.changes : parameters.changes;
    const steps = main.header.components;
    this.#order = () => packetsInOrder({ grid: this.grid, steps, layers, progression, changes });
    this.#walk = this.#order();
    this.#visits = fewVisits + visitsPerByte * endOf(this.#spans);
  }

  /** About what it takes in memory, in bytes. */
  get bytes(): number {
    const resolutions = this.grid.components.reduce((sum, own) => sum + own.resolutions.length, 0);
    const places = this.#places === undefined ? 0 : this.#places.offsets.length * 20;
    return (
      4_096 +
      resolutions * 1_024 +
      this.#spans.length * 64 +
      (this.#packed?.length ?? 0) +
      places +
      this.#pieces.bytes +
      this.#open * openBytes +
      this.#blocks * tableBytesPerBlock +
      this.kept.size * keptEntryBytes
    );
  }

  /** Whether reading broke off in the midst of a packet: then the index is of no use any more. */
  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  /** How many layers there are; fewer may be wanted. */
  get layers(): number {
    return this.#layers;
  }

  /** Reads packet headers until all of the wanted precincts are known, in their first layers, or the tile ends. */
  async know(
    wanted: readonly PrecinctsWanted[],
    layers: number,
    reader: RangeReader,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#turns.take(signal, async () => {
      const source = joined(this.#spans, reader, signal);
      const breath = new Breath(signal);
      const least = Math.min(layers, this.#layers);
      const work = { wanted, layers: least, source, breath };
      if (this.#places !== undefined && (await this.#readListed(work, this.#places))) return;
      await this.#walkTo(work);
    });
  }

  /** What is stored of a block in the first layers: nothing where the file ends before it. */
  piecesOf(resolution: Resolution, block: number, layers: number): Piece[] {
    const known = this.#known.get(resolution);
    return known === undefined ? [] : this.#pieces.of(known.table, block, layers);
  }

  /** Bit planes of a block that are all zero. */
  missingOf(resolution: Resolution, block: number): number {
    return this.#known.get(resolution)?.table.missing[block] ?? 0;
  }

  /** Where a piece of the tile is in the file; shorter than asked for at the end of a part. */
  placeOf(offset: number, length: number): Pick<Span, "offset" | "length"> {
    return spanAt(this.#spans, offset, length);
  }

  /** False where the list turned out wrong: nothing is known then, and the packets have to be walked. */
  async #readListed(work: Work, places: PacketPlaces): Promise<boolean> {
    this.#numbers ??= await this.#number(work.breath, places.offsets.length);
    for (const { resolution, cells } of work.wanted) {
      const numbers = this.#numbers?.get(resolution);
      for (const precinct of precinctsIn(resolution, cells)) {
        const { layers } = this.#knownOf(resolution);
        for (let layer = layers[precinct] ?? 0; layer < work.layers; layer++) {
          const number = numbers?.[precinct * this.#layers + layer] ?? -1;
          const packet = { resolution, precinct, layer };
          if (await this.#readAt(packet, number, work, places)) continue;
          this.#forget();
          return false;
        }
      }
    }
    return true;
  }

  /** False where the packet is not what the list says. */
  async #readAt(
    packet: Packet,
    number: number,
    work: Work,
    places: PacketPlaces,
  ): Promise<boolean> {
    const offset = places.offsets[number];
    if (offset === undefined) return false;
    // What a file that is cut off does not have any more counts as read.
    if (offset >= work.source.length) return true;
    const end = await this.#read(packet, offset, work);
    return end === offset + (places.lengths[number] ?? 0);
  }

  /** Numbers the packets in the order in which they are stored; undefined where there are not as many as listed. */
  async #number(
    breath: Breath,
    listed: number,
  ): Promise<ReadonlyMap<Resolution, Int32Array> | undefined> {
    const numbers = new Map<Resolution, Int32Array>();
    let number = 0;
    for (const { resolution, precinct, layer } of this.#order()) {
      let own = numbers.get(resolution);
      if (own === undefined) {
        const { columns, rows } = resolution.precincts;
        if (columns * rows * this.#layers > listed) return undefined;
        own = new Int32Array(columns * rows * this.#layers).fill(-1);
        numbers.set(resolution, own);
      }
      own[precinct * this.#layers + layer] = number++;
      if (number > listed) return undefined;
      if (breath.isDue(1)) await breath.rest();
    }
    return number === listed ? numbers : undefined;
  }

  #forget(): void {
    this.#places = undefined;
    this.#numbers = undefined;
    this.#known.clear();
    this.#pieces.clear();
    this.#blocks = 0;
    this.#open = 0;
  }

  async #walkTo(work: Work): Promise<void> {
    let missing = this.#countMissing(work);
    const cells = new Map(work.wanted.map((one) => [one.resolution, one.cells] as const));
    while (missing > 0 && !this.#isAtEnd) {
      if (work.breath.isDue(1)) await work.breath.rest();
      const { value: packet, done } = this.#walk.next();
      if (done === true) {
        this.#isAtEnd = true;
        return;
      }
      const end = await this.#read(packet, this.#at, work);
      if (end === undefined) {
        this.#isAtEnd = true;
        return;
      }
      this.#at = end;
      const here = cells.get(packet.resolution);
      if (here && packet.layer < work.layers && isIn(packet, here)) missing--;
    }
  }

  #countMissing({ wanted, layers }: Work): number {
    let missing = 0;
    for (const { resolution, cells } of wanted) {
      const known = this.#known.get(resolution);
      for (const precinct of precinctsIn(resolution, cells))
        missing += Math.max(0, layers - (known?.layers[precinct] ?? 0));
    }
    return missing;
  }

  /** Reads a packet's header, which begins at an offset; answers where the packet ends, undefined where it is none. */
  async #read(packet: Packet, offset: number, work: Work): Promise<number | undefined> {
    const wasSpoilt = this.#isSpoilt;
    this.#isSpoilt = true;
    const end = await this.#readWhole(packet, offset, work);
    this.#isSpoilt = wasSpoilt;
    return end;
  }

  async #readWhole(packet: Packet, offset: number, work: Work): Promise<number | undefined> {
    const { source, breath } = work;
    const { resolution, precinct, layer } = packet;
    const known = this.#knownOf(resolution);
    const style = this.grid.components[resolution.component]?.parameters.coding.style ?? 0;
    const bands = () => this.#bandsOf(known, resolution, precinct);
    const toRead: PacketToRead = { resolution, bands, table: known.table, layer, style };
    let body = offset;
    if (this.#startMarkers) body += await markerAt(source, body, markers.startOfPacket, 6);
    const headers = this.#packed === undefined ? source : sourceOf(this.#packed);
    const at = this.#packed === undefined ? body : this.#packedAt;
    const read = await readPacketHeader(toRead, this.#bits, headers, at, breath);
    if (read === undefined || this.#visits < 0) return undefined;
    let { end } = read;
    if (this.#endMarkers) end += await markerAt(headers, end, markers.endOfPacketHeader, 2);
    if (this.#packed === undefined) body = end;
    else this.#packedAt = end;
    known.layers[precinct] = layer + 1;
    if (layer + 1 === this.#layers && known.open.delete(precinct)) this.#open--;
    return addContributions(read, toRead, this.#pieces, body);
  }

  #bandsOf(known: Known, resolution: Resolution, precinct: number): readonly BandOfPrecinct[] {
    let bands = known.open.get(precinct);
    if (this.#visits < 0) return [];
    if (bands === undefined) {
      bands = bandsOfPrecinct(resolution, precinct, this.#shapes);
      known.open.set(precinct, bands);
      if (++this.#open > mostOpen) damaged(`at most ${mostOpen} precincts between two layers`);
    }
    for (const { columns, rows } of bands) this.#visits -= columns * rows;
    return bands;
  }

  #knownOf(resolution: Resolution): Known {
    let known = this.#known.get(resolution);
    if (known === undefined) {
      const { columns, rows } = resolution.precincts;
      known = {
        table: new BlockTable(resolution),
        layers: new Uint16Array(columns * rows),
        open: new Map(),
      };
      this.#known.set(resolution, known);
      this.#blocks += resolution.blocks;
    }
    return known;
  }
}

/** What an entry of a map takes in memory. */
const keptEntryBytes = 128;
/** A picture of 120,000 pixels a side with precincts of 256 has so many at its full size. */
const mostOpen = 2 ** 19;
/**
 * A byte can say of any number of blocks that there is nothing of them; a file that does nothing else is
 * read no further.
 */
const fewVisits = 2 ** 21;
const visitsPerByte = 24;
/** What the trees of a precinct take in memory. */
const openBytes = 700;

interface Work {
  readonly wanted: readonly PrecinctsWanted[];
  readonly layers: number;
  readonly source: ByteSource;
  readonly breath: Breath;
}

/** How many bytes a marker takes that may be there, or not. */
const markerAt = async (
  source: ByteSource,
  at: number,
  marker: number,
  bytes: number,
): Promise<number> => {
  const [high, low] = await source.at(at, 2);
  return high === marker >> 8 && low === (marker & 255) ? bytes : 0;
};

const isIn = ({ resolution, precinct }: Packet, cells: Cells): boolean => {
  const { x, y, columns } = resolution.precincts;
  const column = precinct % columns;
  const [left, top] = [x + column - cells.x, y + (precinct - column) / columns - cells.y];
  return left >= 0 && top >= 0 && left < cells.columns && top < cells.rows;
};

/** The numbers of precincts, row by row. */
const precinctsIn = function* ({ precincts }: Resolution, cells: Cells): Generator<number> {
  const first = (cells.y - precincts.y) * precincts.columns + cells.x - precincts.x;
  for (let row = 0; row < cells.rows; row++)
    for (let column = 0; column < cells.columns; column++)
      yield first + row * precincts.columns + column;
};
