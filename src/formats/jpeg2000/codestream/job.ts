import type { JobPlace } from "./job-memory.ts";

/** The requested part of a band, and its blocks. */
export interface BandJob {
  readonly kind: 0 | 1 | 2 | 3;
  readonly magnitudeBits: number;
  /** The quantizer's step; not used where the component is reversible. */
  readonly step: number;
  /** In coefficients. */
  readonly width: number;
  readonly height: number;
  /** Half-open range of the job's blocks. */
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
  /** Position of the part that the next level, or the result, needs. */
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
  /** The requested part of the last level, in samples. */
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

/** A window of a tile to be decoded. */
export interface WindowJob {
  readonly components: readonly ComponentJob[];
  /** Whether the first three components are transformed to RGB together. */
  readonly transformed: boolean;
  /** The components of the result, in order. */
  readonly wanted: readonly number[];
  /** Whether the result is bytes, interleaved. */
  readonly interleaved: boolean;
  /**
   * How to encode a JPEG of one component or three interleaved ones, instead of returning samples;
   * absent: samples.
   */
  readonly jpeg?: JpegForm | undefined;
  /** The bytes of all blocks, at the offsets that these state. */
  readonly bytes: Uint8Array;
  /** Descriptions of the blocks: `blockFields` numbers each. */
  readonly blocks: Int32Array;
  /** Bytes and passes of each segment of each block. */
  readonly segments: Int32Array;
  /** Memory that the job may use and that contains its bytes, if shared. */
  readonly place?: JobPlace | undefined;
  /** Decoded blocks, shared between threads. */
  readonly cache: SharedArrayBuffer;
  /** The same memory for a kernel that works in it; absent where none may, as in other threads. */
  readonly workspace?: Workspace | undefined;
  /** Shared memory: nonzero once nobody waits for the result any more. */
  readonly left: Int32Array;
}

/** Memory of which a kernel may use the beginning. */
export interface Workspace {
  readonly memory: WebAssembly.Memory;
  /** How much of it. */
  readonly bytes: number;
}

/** The fields of a block's description, in this order; assembly/jpeg2000/band.ts has the same. */
export const blockField = {
  /** Its position in the window of its band; may be negative. */
  x: 0,
  y: 1,
  width: 2,
  height: 3,
  /** Number of zero bit planes. */
  missing: 4,
  /** Offset and number of its bytes in the job's. */
  bytes: 5,
  length: 6,
  /** Its first segment, and the number of segments. */
  segments: 7,
  count: 8,
  /** Its place in the cache, or where to store it; -1 for none. */
  kept: 9,
  /**
   * 1 where it is cached already, and has no bytes here; 2 where another job may store it there
   * meanwhile, as `isStored` tells.
   */
  isKept: 10,
  /** Bytes per coefficient in the cache: 2 or 4. */
  size: 11,
} as const;

export const blockFields = 12;

/** The samples of a window: one array per requested component, or all in one. */
export type WindowSamples = readonly (Uint8Array | Uint16Array | Int32Array)[];
