import { afterEach, expect, test } from "vitest";
import { boundGrowth } from "./wasm-bound.ts";

const { grow } = WebAssembly.Memory.prototype;

afterEach(() => {
  WebAssembly.Memory.prototype.grow = grow;
});

test("memory grows up to the current bound and no further", () => {
  let max = 3 * 65_536;
  boundGrowth(() => max);
  const memory = new WebAssembly.Memory({ initial: 1 });
  expect(memory.grow(2)).toBe(1);
  expect(() => memory.grow(1)).toThrow(RangeError);
  expect(memory.buffer.byteLength).toBe(3 * 65_536);
  max = 4 * 65_536;
  expect(memory.grow(1)).toBe(3);
});
