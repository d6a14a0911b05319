import type { CodeBlock, DecodeBlock, Segment } from "./contract.ts";
import type { CodestreamKernel, KernelRoom } from "./kernel.ts";

/** A block has at most 4,096 coefficients, of 32 bits here. */
const coefficientBytes = 4_096 * 4;
const mostSegments = 256;

/** Of a block, in bytes: no coder makes as much of 4,096 coefficients. */
export const mostBlockBytes = 131_072;

/** Bit planes that fit numbers of 32 bits, with a sign and a half. */
const mostPlanes = 30;

/**
 * Decodes the blocks of Part 1 (ISO/IEC 15444-1, annexes C and D) in a kernel's memory. Blocks with more
 * bit planes than numbers of 32 bits can hold are all zero.
 */
export const blockDecoder = (room: KernelRoom): DecodeBlock => {
  const { kernel } = room;
  const to = room.take(coefficientBytes);
  const table = room.take(mostSegments * 8);
  const from = room.take(mostBlockBytes);
  return (block) => {
    const { width, height, style, band } = block;
    const planes = block.magnitudeBits - block.missing;
    const answer = new Int32Array(kernel.memory.buffer, to, width * height);
    const count = writeSegments(kernel, table, block);
    if (planes < 1 || planes > mostPlanes || count === 0) return answer.fill(0);
    new Uint8Array(kernel.memory.buffer, from, mostBlockBytes).set(
      block.bytes.subarray(0, mostBlockBytes),
    );
    kernel.decodeBlock(from, table, count, width, height, band, planes, style, to);
    return answer;
  };
};

/** Of segments that are not all there, only the whole ones count. */
const writeSegments = (
  { memory }: CodestreamKernel,
  at: number,
  { segments, bytes }: CodeBlock,
): number => {
  const numbers = new Int32Array(memory.buffer, at, mostSegments * 2);
  const most = Math.min(bytes.length, mostBlockBytes - 2);
  let used = 0;
  let count = 0;
  for (const { length, passes } of segments.slice(0, mostSegments) satisfies Segment[]) {
    used += length;
    if (used > most) break;
    numbers[2 * count] = length;
    numbers[2 * count + 1] = passes;
    count++;
  }
  return count;
};
