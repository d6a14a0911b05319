import { type Kernel, kernelOn } from "../../core/wasm.ts";
import type { CodeBlock, DecodeBlock } from "./contract.ts";
import { expandCodewords } from "./ht-codewords.ts";

/** What `assembly/htj2k` offers; places in its memory are bytes. */
interface HtKernel extends Kernel {
  decodeHtBlock(
    segments: number,
    cleanupLength: number,
    refinementLength: number,
    passes: number,
    plane: number,
    width: number,
    height: number,
    causal: number,
    to: number,
    codewords: number,
    scratch: number,
  ): number;
}

/** Where things lie in the kernel's memory, which is of one mebibyte. */
const codewordsAt = 1_024;
const scratchAt = codewordsAt + 4_096;
const coefficientsAt = scratchAt + 24_576;
const mostCoefficients = 4_096;
const segmentsAt = coefficientsAt + 4 * mostCoefficients;

/** A cleanup segment has at most 65,534 bytes, a refinement segment 2,046 (Rec. ITU-T T.814, 7.1). */
const mostCleanup = 65_534;
const mostRefinement = 2_046;

/** Coefficients have 32 bits: a sign, a half, and one more than their bit planes. */
const highestPlane = 28;

const mostSide = 1_024;
const causalStyle = 0x08;

/**
 * Decodes the blocks of High-Throughput JPEG 2000 (Rec. ITU-T T.814 | ISO/IEC 15444-15) with an instance of
 * `wasm/htj2k.wasm`. A block whose cleanup segment is missing, cut short or damaged is all zeros; of a
 * refinement segment that is cut short, what is there counts. Throws where a block is larger than blocks
 * can be, or has more than 29 bit planes that are not zero.
 */
export const htBlockDecoder = (module: WebAssembly.Module): DecodeBlock => {
  const kernel = kernelOn<HtKernel>(module, new WebAssembly.Memory({ initial: 16 }));
  const { buffer } = kernel.memory;
  new Uint16Array(buffer, codewordsAt, 2_048).set(expandCodewords());
  const room = new Uint8Array(buffer, segmentsAt, mostCleanup + mostRefinement);
  const coefficients = new Int32Array(buffer, coefficientsAt, mostCoefficients);
  return (block) => {
    const { bytes, width, height } = block;
    check(block);
    const answer = coefficients.subarray(0, width * height);
    const cleanup = block.segments[0]?.length ?? 0;
    const plane = block.magnitudeBits - 1 - block.missing;
    if (cleanup < 2 || cleanup > Math.min(bytes.length, mostCleanup) || plane < 0)
      return answer.fill(0);
    const whole = refinementOf(block);
    const refinement = Math.min(whole.length, mostRefinement, bytes.length - cleanup);
    room.set(bytes.subarray(0, cleanup + refinement));
    kernel.decodeHtBlock(
      segmentsAt,
      cleanup,
      refinement,
      1 + (refinement > 0 ? whole.passes : 0),
      plane,
      width,
      height,
      (block.style & causalStyle) === 0 ? 0 : 1,
      coefficientsAt,
      codewordsAt,
      scratchAt,
    );
    return answer;
  };
};

/** Both passes share a segment, however it was cut up. */
const refinementOf = ({ segments }: CodeBlock): { length: number; passes: number } => {
  let [length, passes] = [0, 0];
  for (const segment of segments.slice(1)) {
    length += segment.length;
    passes += segment.passes;
  }
  return { length, passes: Math.min(passes, 2) };
};

const check = ({ width, height, magnitudeBits, missing }: CodeBlock): void => {
  const isSide = (side: number): boolean => side >= 1 && side <= mostSide;
  if (!isSide(width) || !isSide(height) || width * height > mostCoefficients)
    throw new Error(`Expected a block of at most 4096 coefficients, not ${width} x ${height}.`);
  if (magnitudeBits - 1 - missing > highestPlane)
    throw new Error(`Expected a block of at most 29 bit planes, not ${magnitudeBits - missing}.`);
};
