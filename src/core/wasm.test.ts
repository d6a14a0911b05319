import { expect, test } from "vitest";
import { type Kernel, loadKernel, reserve } from "./wasm.ts";

interface Tiles extends Kernel {
  undoDifferences(at: number, width: number, rows: number, samples: number): void;
}

const at = 1_024;

test.each([
  { samples: 1, width: 37 },
  { samples: 3, width: 21 },
])("differences of rows of $width x $samples samples are undone", async ({ samples, width }) => {
  const tiles = await loadKernel<Tiles>("tiles");
  const rows = 5;
  const expected = Uint8Array.from(
    { length: rows * width * samples },
    (_, i) => (i * 89) ^ (i >> 3),
  );
  const stored = expected.map((value, i) => {
    const inRow = i % (width * samples);
    return value - (inRow < samples ? 0 : (expected[i - samples] ?? 0));
  });
  const memory = new Uint8Array(tiles.memory.buffer);
  memory.set(stored, at);
  memory[at + stored.length] = 77;

  tiles.undoDifferences(at, width, rows, samples);

  expect(memory.slice(at, at + stored.length)).toEqual(expected);
  expect(memory[at + stored.length]).toBe(77);
});

test("memory grows as requested and keeps its content", async () => {
  const tiles = await loadKernel<Tiles>("tiles");
  new Uint8Array(tiles.memory.buffer)[at] = 5;

  reserve(tiles, 5_000_000);

  expect(tiles.memory.buffer.byteLength).toBeGreaterThanOrEqual(5_000_000);
  expect(new Uint8Array(tiles.memory.buffer)[at]).toBe(5);
});
