import type { RangeReader } from "../../../core/range-reader.ts";
import { HeaderBits } from "./header-bits.ts";
import { markers } from "./markers.ts";
import type { OpenPrecinct } from "./open-precinct.ts";
import { type PrecinctState, readPacketHeader } from "./packet-header.ts";
import type { Packet } from "./progression.ts";
import type { TreeShapes } from "./tag-tree.ts";
import { type ByteSource, joined, sourceOf } from "./tile-bytes.ts";
import type { PacketSpan } from "./tile-header.ts";
import type { WorkBudget } from "./work-budget.ts";

/** Facts common to all packets of a tile. */
export interface PacketKind {
  readonly spans: readonly PacketSpan[];
  /** The packet headers, where they are packed. */
  readonly packed: Uint8Array | undefined;
  readonly startMarkers: boolean;
  readonly endMarkers: boolean;
  /** The code-block style of a component. */
  readonly styleOf: (component: number) => number;
  readonly shapes: TreeShapes;
}

/** The end of a packet, and of its header among packed ones. */
export interface PacketEnd {
  readonly end: number;
  readonly packed: number;
}

/**
 * Budget of blocks mentioned by packet headers. A byte can say that any number of blocks are empty;
 * a file that does nothing else is not read further.
 */
export interface VisitBudget {
  visits: number;
}

export const visitBudgetFor = (bytes: number): VisitBudget => ({
  visits: fewVisits + visitsPerByte * bytes,
});

const fewVisits = 2 ** 21;
const visitsPerByte = 24;

/** Reads packets, in sequence or individually. */
export class PacketReader {
  readonly source: ByteSource;
  readonly #kind: PacketKind;
  readonly #workBudget: WorkBudget;
  readonly #patience: VisitBudget;
  readonly #bits = new HeaderBits();

  constructor(
    kind: PacketKind,
    { reader, signal }: { readonly reader: RangeReader; readonly signal: AbortSignal },
    { workBudget, patience }: { readonly workBudget: WorkBudget; readonly patience: VisitBudget },
  ) {
    this.#kind = kind;
    this.#workBudget = workBudget;
    this.#patience = patience;
    this.source = joined(kind.spans, reader, signal);
  }

  /**
   * Parses the header of a packet into its precinct; undefined where there is none at this
   * position.
   */
  async read(
    { resolution, layer }: Packet,
    precinct: OpenPrecinct,
    place: { readonly start: number; readonly packed: number },
  ): Promise<PacketEnd | undefined> {
    const { startMarkers, endMarkers, packed, styleOf, shapes } = this.#kind;
    const { source } = this;
    let body = place.start;
    if (startMarkers) body += await markerAt(source, body, markers.startOfPacket, 6);
    const headers = packed === undefined ? source : sourceOf(packed);
    const state = (): PrecinctState | undefined => this.#stateOf(precinct, shapes);
    const toRead = { state, layer, style: styleOf(resolution.component) };
    const at = packed === undefined ? body : place.packed;
    const read = await readPacketHeader(toRead, this.#bits, headers, at, this.#workBudget);
    if (read === undefined || this.#patience.visits < 0) return undefined;
    let headerEnd = read.end;
    if (endMarkers) headerEnd += await markerAt(headers, headerEnd, markers.endOfPacketHeader, 2);
    const end = precinct.take(read, layer, packed === undefined ? headerEnd : body);
    return { end, packed: packed === undefined ? 0 : headerEnd };
  }

  #stateOf(precinct: OpenPrecinct, shapes: TreeShapes): PrecinctState | undefined {
    this.#patience.visits -= precinct.shape.blocks;
    return this.#patience.visits < 0 ? undefined : precinct.state(shapes);
  }
}

/** Bytes of an optional marker. */
const markerAt = async (
  source: ByteSource,
  at: number,
  marker: number,
  bytes: number,
): Promise<number> => {
  const [high, low] = await source.at(at, 2);
  return high === marker >> 8 && low === (marker & 255) ? bytes : 0;
};
