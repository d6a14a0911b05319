import type { Rect } from "../../../core/geometry.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import type { Steps } from "../../../core/steps.ts";
import type { JpegForm } from "./job.ts";

/** A component as SIZ tells of it (ISO/IEC 15444-1, A.5.1). */
export interface Component {
  /** Bits of a sample, 1 to 38; more than 31 are refused when pixels are asked for. */
  readonly precision: number;
  readonly signed: boolean;
  /**
   * Sampling steps on the reference grid, 1 to 255: 2 where there is a sample for every other
   * column (row).
   */
  readonly dx: number;
  readonly dy: number;
}

/** The order of packets (A.6.1, table A.16): layer, resolution, component, position. */
export type Progression = "LRCP" | "RLCP" | "RPCL" | "PCRL" | "CPRL";

/** What the main header of a codestream tells, without a look at any tile. */
export interface CodestreamHeader {
  /** The image area, in pixels of the reference grid; x and y are its offset (XOsiz, YOsiz). */
  readonly image: Rect;
  /**
   * The tile grid on the reference grid: where it starts (XTOsiz, YTOsiz) and the sides of a tile.
   */
  readonly tiles: Rect;
  readonly columns: number;
  readonly rows: number;
  readonly components: readonly Component[];
  /**
   * How many times every component can be halved (0 to 32): the least of all components, as far as
   * the main header tells. A tile may say less in its own header; what is asked beyond that is
   * scaled down by dropping samples.
   */
  readonly levels: number;
  /** 1 to 65,535. */
  readonly layers: number;
  readonly progression: Progression;
  /**
   * Whether all components use the 5/3 filter, as far as the main header tells: no loss but that of
   * layers left out.
   */
  readonly reversible: boolean;
  /** Whether the first three components were made of RGB, and come out as RGB again. */
  readonly transformed: boolean;
  /** Whether there are HT code-blocks (Part 15), as far as the main header tells. */
  readonly ht: boolean;
  /**
   * The sides of precincts at full size, in pixels of the reference grid (32,768 and more: there is
   * one).
   */
  readonly precinct: { readonly width: number; readonly height: number };
  /** The sides of code-blocks in samples of a band, 4 to 1,024. */
  readonly block: { readonly width: number; readonly height: number };
  /** Rsiz: what the codestream needs of a decoder (table A.10, and Part 15). */
  readonly capabilities: number;
}

/** Where a codestream lies in a file: the bytes of a `jp2c` box, or the whole file. */
export interface CodestreamPlace {
  readonly offset: number;
  /** In bytes; what comes behind is not read. */
  readonly length: number;
}

/**
 * A codestream whose main header was read. A value without a reader: keep it as long as the file is
 * the same, for what the decoder learns of its packets is remembered under this very object.
 */
export interface Codestream {
  readonly header: CodestreamHeader;
  readonly place: CodestreamPlace;
  /**
   * About what the value takes in memory, in bytes; what a decoder remembers of it is not counted
   * here.
   */
  readonly bytes: number;
}

/** Reads the main header; throws `unreadable` where it is damaged or breaks a limit. */
export type OpenCodestream = (
  reader: RangeReader,
  place: CodestreamPlace,
  signal: AbortSignal,
) => Promise<Codestream>;

/** What of an image is wanted. */
export interface RegionOf {
  readonly codestream: Codestream;
  /**
   * In pixels of the reference grid at full size, counted from the image's offset; inside the
   * image.
   */
  readonly region: Rect;
  /**
   * How many times the image is halved, 0 to 32; more than `header.levels` is refused as
   * `unreadable`. Sample (u, v) of a component then stands at column u * dx * 2^reduce of the
   * reference grid, and row v * dy * 2^reduce.
   */
  readonly reduce: number;
  /** Layers beyond these are left out; all are decoded when absent. */
  readonly maxLayers?: number;
  /** Which components are wanted, in this order, counted from 0; all when absent. */
  readonly components?: readonly number[];
}

/** What of an image is wanted, and where its bytes are. */
export interface RegionWanted extends RegionOf {
  /** The bytes that `codestream` was opened from. */
  readonly reader: RangeReader;
  readonly signal: AbortSignal;
}

/** Clamped to the component's precision: 0 to 2^p - 1, or -2^(p-1) to 2^(p-1) - 1 where signed. */
export type BlockSamples = Uint8Array | Uint16Array | Int32Array;

/** The samples of one component. */
export interface Plane extends Component {
  /**
   * Where the first sample stands among the component's samples at this reduction, counted from the
   * origin of the reference grid: with s = 2^reduce and X the region's left side on the reference
   * grid (header.image.x + region.x), x = ceil(ceil(X / dx) / s); the end is reckoned likewise from
   * the right side X1, ceil(ceil(X1 / dx) / s). So neighbouring regions meet without gap or
   * overlap, and the whole image gives the size ISO/IEC 15444-1 says (B-2, B-15).
   */
  readonly x: number;
  readonly y: number;
  /** In samples; 0 where the region is so small that no sample stands in it. */
  readonly width: number;
  readonly height: number;
  /**
   * Row by row: `Uint8Array` for unsigned of up to 8 bits, `Uint16Array` up to 16, else
   * `Int32Array`.
   */
  readonly samples: BlockSamples;
}

/** What was decoded. */
export interface DecodedRegion {
  /** In the order asked for. */
  readonly planes: readonly Plane[];
}

/**
 * As `DecodedRegion`, where all components are unsigned, of up to 8 bits, and alike in dx and dy.
 */
export interface InterleavedRegion {
  /** As in `Plane`. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /**
   * Sample by sample, pixel by pixel, row by row: `width * height * components` bytes of their own
   * memory.
   */
  readonly samples: Uint8Array;
}

/** What decoding a region would go through. */
export interface RegionSurvey {
  /** Tiles of the codestream that the region touches. */
  readonly tiles: number;
  /** Code-blocks with anything in them. */
  readonly blocks: number;
  /** Of these, as stored. */
  readonly bytes: number;
}

/** Decodes regions; keeps what it learns of codestreams, and decoded blocks, within bounds. */
export interface CodestreamDecoder {
  /** What it has learned of codestreams takes in memory, in bytes. */
  readonly indexBytes: number;
  /**
   * Throws `unreadable` where the codestream is damaged beyond showing, breaks a limit, or ends
   * before a tile of the region; `late` past the limit of time. What is missing at the end of a
   * tile, and blocks that are damaged, count as zero.
   */
  decodeRegion(wanted: RegionWanted): Promise<DecodedRegion>;
  /**
   * The same samples, interleaved; throws `unreadable` where the components are not alike (see
   * `InterleavedRegion`).
   */
  decodeInterleaved(wanted: RegionWanted): Promise<InterleavedRegion>;
  /**
   * A JPEG of what `decodeInterleaved` would answer, of one component or three; throws as that
   * does. Undefined where there is no encoder, or the region is not decoded in one piece.
   * High-Throughput blocks of which nearly all is in memory are decoded on the calling thread.
   */
  encode(wanted: RegionOf, form: JpegForm): Steps<Uint8Array | undefined>;
  /**
   * Finds out what decoding would go through; only packet headers are read for it. Throws as
   * `decodeRegion` does.
   */
  survey(wanted: RegionWanted): Promise<RegionSurvey>;
  /** Ends the threads; what is under way fails. */
  close(): Promise<void>;
}

/** Coded bytes of a block that belong together (ISO/IEC 15444-1, D.4 and D.6; T.814, 7). */
export interface CodedSegment {
  /** In bytes. */
  readonly length: number;
  /**
   * How many coding passes they hold, at least 1. Of HT: 1 (clean-up), then 1 or 2 (refinement).
   */
  readonly passes: number;
}
