import { expect } from "vitest";
import { bytesAt, place, type TileKernel } from "../../src/formats/wasm/tile-kernel.ts";

/** How far a kernel may write behind the last byte that there is room for. */
const beyond = 320;
const guards = 4_096;

/**
 * What a function of a kernel makes of packed bytes; undefined where it refuses them. Whatever is in memory before makes
 * no difference, and it is checked that nothing changes but what may.
 */
export const runGuarded = (
  kernel: TileKernel,
  name: "inflate" | "unzstd" | "unlzma2" | "undoLzw",
  bytes: Uint8Array,
  most: number,
  before = 0,
): Buffer | undefined => {
  const { from, end, to } = place(kernel, bytes, most + guards);
  const memory = new Uint8Array(kernel.memory.buffer);
  memory.fill(before, end, to + most + beyond);
  memory.fill(0xa5, to + most + beyond, to + most + guards);
  const length = kernel[name](from, end, to, most);
  const guard = memory.subarray(to + most + beyond, to + most + guards);
  expect(guard.every((byte) => byte === 0xa5)).toBe(true);
  expect(Buffer.compare(memory.subarray(from, end), bytes)).toBe(0);
  expect(length).toBeLessThanOrEqual(most);
  return length < 0 ? undefined : Buffer.from(bytesAt(kernel, to, length));
};
