import { expect } from "vitest";
import { bytesAt, place, type TileKernel } from "../../src/formats/wasm/tile-kernel.ts";

/** How far a kernel may write behind the last byte that there is room for. */
const beyond = 320;
const guards = 4_096;

/**
 * What a function of a kernel makes of packed bytes; undefined where it refuses them. Whatever is
 * in memory before makes no difference, and it is checked that nothing changes but what may.
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
