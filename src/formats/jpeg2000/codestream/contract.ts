import type { Rect } from "../../../core/geometry.ts";
import type { RangeReader } from "../../../core/range-reader.ts";
import type { Steps } from "../../../core/steps.ts";
import type { JpegForm } from "./job.ts";

/** A component in SIZ (ISO/IEC 15444-1, A.5.1). */
export interface Component {
  /** Bits per sample, 1 to 38; more than 31 are refused when pixels are requested. */
  readonly precision: number;
  readonly signed: boolean;
  /**
   * Sampling steps on the reference grid, 1 to 255: 2 means a sample for every other column (row).
   */
  readonly dx: number;
  readonly dy: number;
}

/** The order of packets (A.6.1, table A.16): layer, resolution, component, position. */
export type Progression = "LRCP" | "RLCP" | "RPCL" | "PCRL" | "CPRL";

/** The content of a codestream's main header, without reading any tile. */
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
   * How many times every component can be halved (0 to 32): the minimum of all components, as far
   * as the main header says. A tile's own header may say less; further reductions then drop
   * samples.
   */
  readonly levels: number;
  /** 1 to 65,535. */
  readonly layers: number;
  readonly progression: Progression;
  /**
   * Whether all components use the 5/3 filter, as far as the main header says: lossless except for
   * omitted layers.
   */
  readonly reversible: boolean;
  /** Whether the first three components are transformed RGB, which decoding restores. */
  readonly transformed: boolean;
  /** Whether there are HT code-blocks (Part 15), as far as the main header says. */
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

/** The position of a codestream in a file: the bytes of a `jp2c` box, or the whole file. */
export interface CodestreamPlace {
  readonly offset: number;
  /** Length in bytes; anything after it is not read. */
  readonly length: number;
}

/**
 * A codestream whose main header was read. A value without a reader: keep it while the file is
 * unchanged, since the decoder caches facts about its packets under this very object.
 */
export interface Codestream {
  readonly header: CodestreamHeader;
  readonly place: CodestreamPlace;
  /** The `identity` of the reader that it was opened from. */
  readonly identity?: string | undefined;
  /** Approximate memory of the value in bytes, without the decoder's caches. */
  readonly bytes: number;
}

/** Parses the main header; throws `unreadable` where it is corrupt or exceeds a limit. */
export type OpenCodestream = (
  reader: RangeReader,
  place: CodestreamPlace,
  signal: AbortSignal,
) => Promise<Codestream>;

/** The requested part of an image. */
export interface RegionOf {
  readonly codestream: Codestream;
  /**
   * In pixels of the reference grid at full size, counted from the image's offset; inside the
   * image.
   */
  readonly region: Rect;
  /**
   * How many times the image is halved, 0 to 32; more than `header.levels` is refused as
   * `unreadable`. Sample (u, v) of a component is then at column u * dx * 2^reduce of the reference
   * grid, and row v * dy * 2^reduce.
   */
  readonly reduce: number;
  /** Number of layers to decode; all when absent. */
  readonly maxLayers?: number;
  /** The requested components, in this order, counted from 0; all when absent. */
  readonly components?: readonly number[];
}

/** The requested part of an image, and its bytes. */
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
   * The position of the first sample among the component's samples at this reduction, counted from
   * the origin of the reference grid: with s = 2^reduce and X the region's left side on the
   * reference grid (header.image.x + region.x), x = ceil(ceil(X / dx) / s); the end is computed
   * likewise from the right side X1, ceil(ceil(X1 / dx) / s). So neighbouring regions meet without
   * gap or overlap, and the whole image gives the size of ISO/IEC 15444-1 (B-2, B-15).
   */
  readonly x: number;
  readonly y: number;
  /** In samples; 0 where the region is so small that it contains none. */
  readonly width: number;
  readonly height: number;
  /**
   * Row by row: `Uint8Array` for unsigned of up to 8 bits, `Uint16Array` up to 16, else
   * `Int32Array`.
   */
  readonly samples: BlockSamples;
}

/** The decoded samples. */
export interface DecodedRegion {
  /** In the requested order. */
  readonly planes: readonly Plane[];
}

/**
 * As `DecodedRegion`, where all components are unsigned, of up to 8 bits, and have the same dx and
 * dy.
 */
export interface InterleavedRegion {
  /** As in `Plane`. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Interleaved, row by row: `width * height * components` bytes in memory of their own. */
  readonly samples: Uint8Array;
}

/** The input of decoding a region. */
export interface RegionSurvey {
  /** Number of tiles that the region touches. */
  readonly tiles: number;
  /** Number of non-empty code-blocks. */
  readonly blocks: number;
  /** Their stored bytes. */
  readonly bytes: number;
}

/** Decodes regions; caches facts about codestreams, and decoded blocks, within bounds. */
export interface CodestreamDecoder {
  /** Memory of cached facts about codestreams, in bytes. */
  readonly indexBytes: number;
  /**
   * Throws `unreadable` where the codestream is too corrupt to decode, exceeds a limit, or ends
   * before a tile of the region; `late` past the time limit. Missing data at the end of a tile, and
   * corrupt blocks, count as zero.
   */
  decodeRegion(wanted: RegionWanted): Promise<DecodedRegion>;
  /**
   * The same samples, interleaved; throws `unreadable` where the components differ (see
   * `InterleavedRegion`).
   */
  decodeInterleaved(wanted: RegionWanted): Promise<InterleavedRegion>;
  /**
   * A JPEG of the result of `decodeInterleaved`, of one or three components; throws as that does.
   * Undefined where there is no encoder, or the region is not decoded in one piece. High-Throughput
   * blocks that are nearly all in memory are decoded on the calling thread.
   */
  encode(wanted: RegionOf, form: JpegForm): Steps<Uint8Array | undefined>;
  /** Determines the input of decoding; reads only packet headers. Throws as `decodeRegion` does. */
  survey(wanted: RegionWanted): Promise<RegionSurvey>;
  /** Ends the threads; running jobs fail. */
  close(): Promise<void>;
}

/** Consecutive encoded bytes of a block (ISO/IEC 15444-1, D.4 and D.6; T.814, 7). */
export interface CodedSegment {
  /** In bytes. */
  readonly length: number;
  /** Number of coding passes, at least 1. Of HT: 1 (clean-up), then 1 or 2 (refinement). */
  readonly passes: number;
}
