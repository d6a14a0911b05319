import { expect } from "vitest";
import { bytesAt, place, type TileKernel } from "../../src/formats/wasm/tile-kernel.ts";

/** How far a kernel may write beyond the end of its output. */
const beyond = 320;
const guards = 4_096;

/**
 * The result of a kernel's function on compressed bytes; undefined where it rejects them. Checks
 * that the memory's previous content makes no difference, and that nothing changes but what may.
 */
export const runGuarded = (
  kernel: TileKernel,
  name: "inflate" | "unzstd" | "unlzma2" | "undoLzw",
  bytes: Uint8Array,
  max: number,
  before = 0,
): Buffer | undefined => {
  const { from, end, to } = place(kernel, bytes, max + guards);
  const memory = new Uint8Array(kernel.memory.buffer);
  memory.fill(before, end, to + max + beyond);
  memory.fill(0xa5, to + max + beyond, to + max + guards);
  const length = kernel[name](from, end, to, max);
  const guard = memory.subarray(to + max + beyond, to + max + guards);
  expect(guard.every((byte) => byte === 0xa5)).toBe(true);
  expect(Buffer.compare(memory.subarray(from, end), bytes)).toBe(0);
  expect(length).toBeLessThanOrEqual(max);
  return length < 0 ? undefined : Buffer.from(bytesAt(kernel, to, length));
};
