import type { CodestreamKernel } from "./kernel.ts";

/** Maximum bytes of a block: no encoder makes more of 4,096 coefficients. */
export const maxBlockBytes = 131_072;

/** A code-block whose bytes are in a kernel's memory. */
export interface CodeBlock {
  /**
   * The bytes of all segments, one segment after the other; in corrupt files fewer than the
   * segments say.
   */
  readonly at: number;
  readonly length: number;
  /** The bytes and passes of its segments, 32 bits each, and the number of segments. */
  readonly segments: number;
  readonly count: number;
  /** In coefficients: at most 4,096 in all, and 1,024 a side. */
  readonly width: number;
  readonly height: number;
  /** Its band: 0 LL, 1 HL, 2 LH, 3 HH. */
  readonly band: 0 | 1 | 2 | 3;
  /**
   * Mb of E-2: magnitude bits of the band, guard bits and the shift of a region of interest
   * included.
   */
  readonly magnitudeBits: number;
  /**
   * Number of zero bit planes, from the packet header: 0 to magnitudeBits. Of HT, placeholder
   * passes are included (their number / 3), so the clean-up pass ends at bit plane magnitudeBits -
   * 1 - missing.
   */
  readonly missing: number;
  /** The code-block style of COD or COC (table A.19; bits 6 and 7 as in T.814). */
  readonly style: number;
}

/**
 * Decodes a block to `to`: `width * height` coefficients of 32 bits, row by row, in two's
 * complement and with ONE fractional bit: twice the quantiser's index, with the half of the lowest
 * decoded bit plane added in magnitude to nonzero values (so 5 decoded to the last plane is 11; a
 * decoder of reversible blocks drops the bit). A bit plane p (0 the lowest) is thus bit p + 1 of
 * the magnitude. Corrupt bytes give corrupt coefficients; they never cause reads or writes
 * elsewhere, nor take longer than valid ones.
 */
export type DecodeBlock = (block: CodeBlock, to: number) => void;

/** Bit planes that fit into 32 bits, with a sign and a half. */
const maxPlanes = 30;

/**
 * Decodes the blocks of Part 1 (ISO/IEC 15444-1, annexes C and D). Blocks with more bit planes than
 * 32 bits can hold are all zero.
 */
export const blockDecoder =
  (kernel: CodestreamKernel): DecodeBlock =>
  (block, to) => {
    const { at, length, segments, count, width, height, band, style } = block;
    const planes = block.magnitudeBits - block.missing;
    if (planes < 1 || planes > maxPlanes || count === 0) kernel.clear(to, width * height * 4);
    else kernel.decodeBlock(at, length, segments, count, width, height, band, planes, style, to);
  };
