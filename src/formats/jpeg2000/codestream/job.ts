import type { JobPlace } from "./job-memory.ts";

/** A part of a band that is wanted, and the blocks that it takes. */
export interface BandJob {
  readonly kind: 0 | 1 | 2 | 3;
  readonly magnitudeBits: number;
  /** Of the quantizer; not used where the component is reversible. */
  readonly step: number;
  /** In coefficients. */
  readonly width: number;
  readonly height: number;
  /** Which of the job's blocks: from the first to before the second. */
  readonly blocks: readonly [number, number];
}

/** A window of a resolution. */
export interface LevelJob {
  readonly width: number;
  readonly height: number;
  /** 1 where the window begins in an odd column (row) of the resolution, else 0. */
  readonly oddX: 0 | 1;
  readonly oddY: 0 | 1;
  /** LL alone for the lowest level, else HL, LH and HH. */
  readonly bands: readonly BandJob[];
  /** Where in it the part begins that is wanted: by the next level, or at the end. */
  readonly x: number;
  readonly y: number;
}

/** A component of a window. */
export interface ComponentJob {
  readonly reversible: boolean;
  /** The code-block style (table A.19). */
  readonly style: number;
  /** Of a region of interest, in bits. */
  readonly shift: number;
  /** The lowest first. */
  readonly levels: readonly LevelJob[];
  /** What is wanted of the last level, in samples. */
  readonly width: number;
  readonly height: number;
  readonly precision: number;
  readonly signed: boolean;
}

/** How a JPEG is encoded. */
export interface JpegForm {
  /** 1 to 100. */
  readonly quality: number;
  /** Of colours. */
  readonly subsampling: "4:2:0" | "4:4:4";
}

/** A window of a tile that is to be decoded. */
export interface WindowJob {
  readonly components: readonly ComponentJob[];
  /** Whether the first three components become RGB together. */
  readonly transformed: boolean;
  /** Which components are the answer, in this order. */
  readonly wanted: readonly number[];
  /** Whether the answer is one of bytes, interleaved. */
  readonly interleaved: boolean;
  /**
   * Where the answer is to be a JPEG of one component or three interleaved ones, and no samples:
   * how it is encoded.
   */
  readonly jpeg?: JpegForm | undefined;
  /** Of all blocks, at the places that these say. */
  readonly bytes: Uint8Array;
  /** What is said of the blocks: `blockFields` numbers of each. */
  readonly blocks: Int32Array;
  /** Bytes and passes of each segment of each block. */
  readonly segments: Int32Array;
  /** Memory that the job may lie in, and in which its bytes are, if that is shared. */
  readonly place?: JobPlace | undefined;
  /** Decoded blocks, shared between threads. */
  readonly cache: SharedArrayBuffer;
  /** Shared between threads: other than 0 once nobody waits for the answer any more. */
  readonly left: Int32Array;
}

/** What is said of a block, in this order. */
export const blockField = {
  /** Where it lies in the window of its band; may be negative. */
  x: 0,
  y: 1,
  width: 2,
  height: 3,
  /** Bit planes that are all zero. */
  missing: 4,
  /** Where its bytes begin in the job's, and how many there are. */
  bytes: 5,
  length: 6,
  /** Its first segment, and how many there are. */
  segments: 7,
  count: 8,
  /** Where it is in the cache, or is to be put; -1 for nowhere. */
  kept: 9,
  /**
   * 1 where it is there already, and has no bytes here; 2 where another job may leave it there
   * meanwhile, as `wasLeft` tells.
   */
  isKept: 10,
} as const;

export const blockFields = 11;

/** The samples of a window: one array per component that is wanted, or all in one. */
export type WindowSamples = readonly (Uint8Array | Uint16Array | Int32Array)[];
