import { BlockTable } from "./block-table.ts";
import type { HeaderBits } from "./header-bits.ts";
import type { BandTrees } from "./precincts.ts";
import { maxPasses, passesLeft, styles } from "./segments.ts";
import type { ByteSource } from "./tile-bytes.ts";
import { piecesOf, type WorkBudget } from "./work-budget.ts";

/** A packet whose header is to be parsed. */
export interface PacketToRead {
  /**
   * State of its precinct; created only for non-empty packets, and undefined where it is too large.
   */
  readonly state: () => PrecinctState | undefined;
  readonly layer: number;
  /** Of the code-blocks. */
  readonly style: number;
}

/** The state of a precinct's blocks so far. */
export interface PrecinctState {
  readonly trees: readonly BandTrees[];
  readonly table: BlockTable;
}

/** The content of a packet header. */
export interface PacketRead {
  /** Its end in the bytes it was read from. */
  readonly end: number;
  readonly contributions: readonly Contribution[];
}

/** A packet's contribution to a block: bytes of one segment. */
interface Contribution {
  /** Number among the blocks of the precinct. */
  readonly block: number;
  readonly passes: number;
  readonly length: number;
}

/**
 * Parses the header of a packet (ISO/IEC 15444-1, B.10); undefined where it is incomplete or
 * invalid: nothing after it can be located then.
 */
export const readPacketHeader = async (
  packet: PacketToRead,
  bits: HeaderBits,
  source: ByteSource,
  at: number,
  workBudget: WorkBudget,
): Promise<PacketRead | undefined> => {
  const reading = new HeaderReading(bits, source, slackFor(packet.layer));
  if (!(await reading.start(at))) return undefined;
  const state = bits.bit() === 1 ? packet.state() : nothing;
  if (state === undefined) return undefined;
  const contributions: Contribution[] = [];
  const underWay = { table: state.table, layer: packet.layer, style: packet.style, contributions };
  for (const band of state.trees)
    if (!(await readBand(underWay, band, reading, workBudget))) return undefined;
  bits.end();
  return bits.isPast ? undefined : { end: reading.at, contributions };
};

/** False where the data is incomplete or invalid. */
const readBand = async (
  packet: PacketUnderWay,
  band: BandTrees,
  reading: HeaderReading,
  workBudget: WorkBudget,
): Promise<boolean> => {
  const { bits } = reading;
  for (let index = 0; index < band.columns * band.rows; index++) {
    if (reading.isShort) await reading.more();
    if (workBudget.isDue(1, piecesOf.block)) await workBudget.rest();
    if (!readBlock(packet, band, index, bits) || bits.isPast) return false;
  }
  return true;
};

const nothing: PrecinctState = { trees: [], table: new BlockTable(0) };

/** A packet whose blocks are being parsed. */
interface PacketUnderWay {
  readonly table: BlockTable;
  readonly layer: number;
  readonly style: number;
  readonly contributions: Contribution[];
}

/** The bytes of a header, read on demand. */
class HeaderReading {
  readonly bits: HeaderBits;
  readonly #source: ByteSource;
  readonly #slack: number;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(bits: HeaderBits, source: ByteSource, slack: number) {
    this.bits = bits;
    this.#source = source;
    this.#slack = slack;
  }

  /** Position of the next byte. */
  get at(): number {
    return this.#start + this.bits.used;
  }

  /** Whether there may be too few bytes for a block, and more are available. */
  get isShort(): boolean {
    const left = this.#bytes.length - this.bits.used;
    return left < this.#slack && this.#start + this.#bytes.length < this.#source.length;
  }

  /** False where there are none. */
  async start(at: number): Promise<boolean> {
    this.#start = at;
    this.#bytes = await this.#source.at(at, this.#slack);
    this.bits.start(this.#bytes);
    return this.#bytes.length > 0;
  }

  async more(): Promise<void> {
    this.#start = this.at;
    this.#bytes = await this.#source.at(this.#start, this.#slack);
    this.bits.continue(this.#bytes);
  }
}

/** Maximum bytes of a block's part of a header. */
const slackFor = (layer: number): number => 1_024 + 2 * layer;

/** False where the data is invalid. */
const readBlock = (
  packet: PacketUnderWay,
  band: BandTrees,
  index: number,
  bits: HeaderBits,
): boolean => {
  const { table } = packet;
  const column = index % band.columns;
  const row = (index - column) / band.columns;
  const block = band.first + index;
  const isFirst = table.passes[block] === 0;
  const isIn = isFirst
    ? band.inclusion.isBelow(bits, column, row, packet.layer + 1)
    : bits.bit() === 1;
  if (!isIn) return true;
  if (isFirst) {
    const missing = band.missing.value(bits, column, row, maxMissing);
    if (missing > maxMissing) return false;
    table.missing[block] = missing;
  }
  const passes = readPasses(bits);
  let lengthBits = firstLengthBits + (table.lengthBits[block] ?? 0);
  while (bits.bit() === 1) if (++lengthBits > maxLengthBits) return false;
  table.lengthBits[block] = lengthBits - firstLengthBits;
  const lengths = (packet.style & styles.ht) !== 0 && isFirst ? readHtLengths : readLengths;
  return lengths(packet, block, passes, lengthBits, bits);
};

/** Two more than any sum of guard bits and exponents (E-2) with the highest shift. */
const maxMissing = 255;
const firstLengthBits = 3;
const maxLengthBits = 32;

/** The lengths of a block's passes in a packet; false where they are invalid. */
type ReadLengths = (
  packet: PacketUnderWay,
  block: number,
  passes: number,
  lengthBits: number,
  bits: HeaderBits,
) => boolean;

/** B.10.7. */
const readLengths: ReadLengths = (packet, block, passes, lengthBits, bits) => {
  const { table, style, contributions } = packet;
  let before = table.passes[block] ?? 0;
  if (before + passes > maxPasses) return false;
  for (let left = passes; left > 0; ) {
    const now = Math.min(left, passesLeft(style, before));
    const size = lengthBits + log2(now);
    if (size > maxLengthBits) return false;
    contributions.push({ block, passes: now, length: bits.bits(size) });
    before += now;
    left -= now;
  }
  table.passes[block] = before;
  return true;
};

/** T.814, B: three placeholder passes per additional zero bit plane, then one to three passes. */
const readHtLengths: ReadLengths = ({ table, contributions }, block, passes, lengthBits, bits) => {
  const planes = Math.floor((passes - 1) / 3);
  const placeholders = planes * 3;
  const missing = (table.missing[block] ?? 0) + planes;
  const size = lengthBits + log2(placeholders + 1);
  if (missing > maxMissing || size > maxLengthBits) return false;
  table.missing[block] = missing;
  const real = passes - placeholders;
  table.passes[block] = real;
  contributions.push({ block, passes: 1, length: bits.bits(size) });
  if (real > 1) {
    const length = bits.bits(lengthBits + log2(real - 1));
    contributions.push({ block, passes: real - 1, length });
  }
  return true;
};

const log2 = (value: number): number => 31 - Math.clz32(value);

/** Table B.4. */
const readPasses = (bits: HeaderBits): number => {
  if (bits.bit() === 0) return 1;
  if (bits.bit() === 0) return 2;
  const few = bits.bits(2);
  if (few < 3) return 3 + few;
  const more = bits.bits(5);
  return more < 31 ? 6 + more : 37 + bits.bits(7);
};
