import { expect, test } from "vitest";
import { withMemoryLimit } from "./memory-limit.ts";

const header = [0, 97, 115, 109, 1, 0, 0, 0];
const types = [1, 4, 1, 96, 0, 0];
// Exports memory 0 as "m".
const exported = [7, 5, 1, 1, 109, 2, 0];
const module = (...memory: readonly number[]): Uint8Array =>
  new Uint8Array([...header, ...types, ...memory, ...exported]);

const memoryOf = async (bytes: Uint8Array): Promise<WebAssembly.Memory> => {
  const instance = new WebAssembly.Instance(await WebAssembly.compile(bytes));
  return (instance.exports as { readonly m: WebAssembly.Memory }).m;
};

test.each([
  ["without a limit", [5, 3, 1, 0, 2]],
  ["with a larger limit", [5, 5, 1, 1, 2, 128, 1]],
])("a module %s gets the given limit", async (_, memory) => {
  const limited = await memoryOf(withMemoryLimit(module(...memory), 200 * 65_536));
  expect(limited.buffer.byteLength).toBe(2 * 65_536);
  limited.grow(198);
  expect(() => limited.grow(1)).toThrow(RangeError);
});

test("a limit below the initial memory is raised to it", async () => {
  const limited = await memoryOf(withMemoryLimit(module(5, 3, 1, 0, 2), 1));
  expect(() => limited.grow(1)).toThrow(RangeError);
});

test.each([
  ["has no memory", new Uint8Array([...header, ...types])],
  ["has two", module(5, 5, 2, 0, 1, 0, 1)],
  ["is cut", new Uint8Array([...header, 1, 128])],
])("a module that %s is refused", (_, bytes) => {
  expect(() => withMemoryLimit(bytes, 65_536)).toThrow(RangeError);
});
