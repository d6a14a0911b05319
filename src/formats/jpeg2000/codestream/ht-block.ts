import type { CodeBlock, DecodeBlock } from "./block.ts";
import type { CodestreamKernel } from "./kernel.ts";
import { styles } from "./segments.ts";

/** Coefficients have 32 bits: a sign, a half, and one more than their bit planes. */
const highestPlane = 28;

const maxCoefficients = 4_096;
const maxSide = 1_024;

/** A part of a band, and the part of a block that is placed there. */
export interface BlockPart {
  /** In coefficients of the block. */
  readonly left: number;
  readonly top: number;
  /** At least 1 of each unless stated otherwise. */
  readonly width: number;
  readonly height: number;
  /** Destination address, and bytes from row to row. */
  readonly to: number;
  readonly stride: number;
}

/**
 * Decodes the blocks of High-Throughput JPEG 2000 (Rec. ITU-T T.814 | ISO/IEC 15444-15). A block
 * whose cleanup segment is missing or truncated is all zero, and corrupt data affects only what
 * follows it; of a truncated refinement segment, the available part counts. Throws where a block is
 * larger than allowed, or has more than 29 nonzero bit planes.
 */
export const htBlockDecoder =
  (kernel: CodestreamKernel): DecodeBlock =>
  (block, to) => {
    const { at, length, segments, count, width, height, style } = block;
    check(block);
    const plane = planeOf(block);
    if (plane < 0) kernel.clear(to, width * height * 4);
    else {
      const isCausal = (style & styles.verticallyCausal) !== 0;
      const max = maxBits(block);
      kernel.decodeHtBlock(at, length, segments, count, plane, max, width, height, isCausal, to);
    }
  };

/** The destinations of a block's coefficients. */
export interface HtTargets {
  /** The part for its band; may be of no width or height. */
  readonly part: BlockPart;
  /**
   * Half the quantizer's step, by which they are multiplied; absent: they become integers there.
   */
  readonly half: number | undefined;
  /**
   * Destination of the whole block as `htBlockDecoder` makes it, in 16 bits, which it has to fit;
   * absent: none.
   */
  readonly shorts?: number | undefined;
}

/**
 * Decodes blocks of a cleanup segment alone, of `cleanup` bytes, no further down than needed,
 * directly into their band. Otherwise as `htBlockDecoder`.
 */
export const htBlockPlacer =
  (kernel: CodestreamKernel) =>
  (block: CodeBlock, cleanup: number, { part, half, shorts }: HtTargets): void => {
    check(block);
    const { at } = block;
    const plane = Math.max(0, planeOf(block));
    const { left, top, width, height, to, stride } = part;
    // An incomplete one is not decoded, and is all zero.
    const bytes = planeOf(block) < 0 || cleanup > block.length ? 0 : cleanup;
    const depth = [plane, maxBits(block)] as const;
    const rows = [left, top, width, height, to, stride] as const;
    const form = [half === undefined, half ?? 0] as const;
    if (shorts === undefined)
      kernel.placeHtBlock(at, bytes, ...depth, block.width, ...rows, ...form);
    else {
      const size = [block.width, block.height] as const;
      kernel.placeKeptHtBlock(at, bytes, ...depth, ...size, ...rows, ...form, shorts);
    }
  };

const planeOf = ({ magnitudeBits, missing }: CodeBlock): number => magnitudeBits - 1 - missing;

/**
 * Bits of a coefficient in the cleanup pass, with its sign; OpenJPEG and OpenJPH accept no more,
 * either.
 */
const maxBits = ({ missing }: CodeBlock): number => missing + 2;

const check = ({ width, height, magnitudeBits, missing }: CodeBlock): void => {
  const isSound = width >= 1 && height >= 1 && width <= maxSide && height <= maxSide;
  if (!isSound || width * height > maxCoefficients)
    throw new Error(`Expected a block of at most 4096 coefficients, not ${width} x ${height}.`);
  if (magnitudeBits - 1 - missing > highestPlane)
    throw new Error(`Expected a block of at most 29 bit planes, not ${magnitudeBits - missing}.`);
};
